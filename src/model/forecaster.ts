import type { IDisposable } from '@lumino/disposable';

import type { ICodeCell } from './notebook';

/** How long a user has to pause before the output of a cell is forecast, in ms. */
export const PAUSE_MS = 1000;

/**
 * Decides when the output of the cell in focus is forecast: once after each pause, and never while a cell runs.
 */
export class Forecaster implements IDisposable {
  /**
   * @param options.ask Ask for a forecast of a cell.
   * @param options.cancel Give up the forecast under way, if any.
   * @param options.isAllowed Whether forecasts after a pause are wanted at this moment.
   */
  constructor(
    private readonly _options: {
      ask: (cell: ICodeCell) => void;
      cancel: () => void;
      isAllowed: () => boolean;
      pauseMs?: number;
    }
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._disarm();
  }

  /** The user typed, or went to another cell. */
  touch(cell: ICodeCell | null): void {
    if (keyOf(cell) === keyOf(this._cell)) {
      return;
    }
    this._cell = cell;
    this._settled = '';
    this._disarm();
    this._options.cancel();
    this._arm();
  }

  /**
   * A cell is sent to the kernel: what was asked before is too late, and nothing is asked until it is done.
   *
   * @param runCellId The cell, if it was sent from this page.
   */
  hold(runCellId: string | null): void {
    if (!this._isHeld) {
      // The state will be another one: what was asked is asked again.
      this._settled = '';
    }
    this._isHeld = true;
    this._disarm();
    this._options.cancel();
    if (this._cell && this._cell.id === runCellId) {
      // The cell itself has been run: it is not forecast again before it changes.
      this._settled = keyOf(this._cell);
    }
  }

  /** The kernel is free again. */
  release(): void {
    if (this._isHeld) {
      this._isHeld = false;
      this._arm();
    }
  }

  /** Wait this long before anything is asked again after a pause, in ms. */
  backOff(durationMs: number): void {
    this._quietUntil = Date.now() + durationMs;
  }

  /** End a wait. */
  resume(): void {
    this._quietUntil = 0;
  }

  private _arm(): void {
    const cell = this._cell;
    this._disarm();
    if (
      this._isDisposed ||
      this._isHeld ||
      !cell?.source.trim() ||
      keyOf(cell) === this._settled
    ) {
      return;
    }
    this._timer = setTimeout(() => {
      this._timer = null;
      if (Date.now() >= this._quietUntil && this._options.isAllowed()) {
        this._settled = keyOf(cell);
        this._options.ask(cell);
      }
    }, this._options.pauseMs ?? PAUSE_MS);
  }

  private _disarm(): void {
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
  }

  private _cell: ICodeCell | null = null;
  private _settled = '';
  private _isHeld = false;
  private _isDisposed = false;
  private _quietUntil = 0;
  private _timer: ReturnType<typeof setTimeout> | null = null;
}

/** What makes a forecast another one: the cell and its text. */
function keyOf(cell: ICodeCell | null): string {
  return cell ? `${cell.id}\n${cell.source}` : '';
}
