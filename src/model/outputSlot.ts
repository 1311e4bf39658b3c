import type { AskRequest, KernelView } from '../api/generated';
import { Forecaster } from './forecaster';
import type { ICodeCell } from './notebook';
import { PredictionSlot } from './predictionSlot';

/** How long no forecast is asked for on its own after one failed, in ms. */
const BACK_OFF_MS = 60_000;

/** Ask for a prediction and follow it in a slot; tells whether that failed. */
export type Ask = (
  slot: PredictionSlot,
  ask: Omit<AskRequest, 'kernel_id'>
) => Promise<boolean>;

/**
 * The forecast of the output of the cell in focus.
 */
export class OutputSlot extends PredictionSlot {
  /**
   * @param _ask Asks the server.
   * @param isAllowed Whether forecasts after a pause are wanted at this moment.
   */
  constructor(
    private readonly _ask: Ask,
    isAllowed: () => boolean
  ) {
    super();
    this.forecaster = new Forecaster({
      ask: cell => void this.predict(cell, 'pause'),
      cancel: () => this.stop(),
      isAllowed
    });
  }

  readonly forecaster: Forecaster;

  /** Ask for the output of a cell. */
  async predict(cell: ICodeCell, trigger: 'pause' | 'ask'): Promise<void> {
    if (trigger === 'ask') {
      this.forecaster.resume();
    }
    const hasFailed = await this._ask(this, {
      task: 'cell_output',
      cell_id: cell.id,
      code: cell.source,
      trigger
    });
    if (hasFailed) {
      this.forecaster.backOff(BACK_OFF_MS);
    }
  }

  /**
   * The user went to a cell, or changed it.
   *
   * @param cell The cell; null where there is no code cell in focus.
   * @param isRunning Whether the cell was sent to the kernel and is not done.
   */
  focusOn(cell: ICodeCell | null, isRunning: boolean): void {
    const before = this._focus;
    this._focus = cell;
    this.forecaster.touch(cell);
    const wasEdited =
      cell?.id === before?.id && cell?.source !== before?.source;
    if (wasEdited && this.view && !isRunning) {
      this.set(null);
    }
  }

  /** Take over what the server says about the kernel. */
  update(kernel: KernelView): void {
    const { output, last_output: last } = kernel;
    if (last && last.id === this.view?.id) {
      // It has been run: it is shown beside its truth from now on.
      this.set(null);
    } else if (this._isFresh && !this.isFollowing) {
      // Another page, or this one before it was loaded anew, asked for it. Later the text may be another one.
      this.set(output?.status === 'ready' ? output : null);
    }
    this._isFresh = false;
  }

  /** Begin anew, with another kernel. */
  reset(): void {
    this.set(null);
    this._isFresh = true;
  }

  override dispose(): void {
    this.forecaster.dispose();
    super.dispose();
  }

  private _focus: ICodeCell | null = null;
  private _isFresh = true;
}
