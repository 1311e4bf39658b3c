import type { IDisposable } from '@lumino/disposable';

import { remainder } from '../model/ghostText';
import type { NotebookModel } from '../model/notebookModel';
import type { IOffered } from './inlineProvider';

/** The completer takes a moment to follow the cell in focus, in ms. */
const SETTLE_MS = 80;

/** How often it is tried to show a suggestion in a cell that the completer has not reached yet. */
const MAX_TRIES = 4;

/**
 * Shows the ghost text where nobody typed: in a cell that gets the focus, and when a suggestion comes.
 *
 * Once it was offered in a cell it is not offered there again unasked, so that waving it away works.
 */
export class GhostTrigger implements IDisposable {
  /**
   * @param options.model What is predicted.
   * @param options.offered What the provider offered last.
   * @param options.invoke Ask the inline completer to look for suggestions.
   */
  constructor(
    private readonly _options: {
      model: NotebookModel;
      offered: () => IOffered | null;
      invoke: () => void;
    }
  ) {
    _options.model.changed.connect(this._onChanged, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._options.model.changed.disconnect(this._onChanged, this);
    this._stopTimer();
  }

  private _onChanged(): void {
    const key = this._keyOfChance();
    if (key !== this._key) {
      this._key = key;
      this._tries = 0;
      this._stopTimer();
      if (key) {
        this._try();
      }
    }
  }

  private _try(): void {
    this._timer = setTimeout(() => {
      this._timer = null;
      if (this._keyOfChance() === this._key && !this._isOffered()) {
        this._tries += 1;
        this._options.invoke();
        if (this._tries < MAX_TRIES) {
          this._try();
        }
      }
    }, SETTLE_MS);
  }

  /** What could be offered now: which prediction in which cell with which text; empty if nothing. */
  private _keyOfChance(): string {
    const { notebook, offer } = this._options.model;
    const focus = notebook?.focus;
    const cursor = notebook?.cursor ?? 0;
    return offer &&
      focus &&
      notebook.isEditing &&
      remainder(offer.text, focus.source, cursor)
      ? `${offer.id} ${focus.id} ${focus.source}`
      : '';
  }

  private _isOffered(): boolean {
    const offered = this._options.offered();
    return (
      offered !== null &&
      `${offered.predictionId} ${offered.cellId} ${offered.before}` ===
        this._key
    );
  }

  private _stopTimer(): void {
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
  }

  private _key = '';
  private _tries = 0;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _isDisposed = false;
}
