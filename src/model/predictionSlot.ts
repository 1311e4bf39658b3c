import { type ApiError, isAbort, toApiError } from '../api/apiError';
import type { DeltaLine, PredictionView } from '../api/generated';
import { Observable } from './observable';

/** Opens a prediction's stream; aborting the signal closes it. */
export type StreamOpener = (signal: AbortSignal) => AsyncGenerator<DeltaLine>;

/** States in which there may be half a text, or one that is out of date. */
const GIVEN_UP: ReadonlySet<PredictionView['status']> = new Set([
  'cancelled',
  'missed',
  'stale'
]);

/**
 * The one prediction that a section shows, and the stream that it grows from.
 *
 * Only the latest stream counts: what still comes from an earlier one is dropped.
 */
export class PredictionSlot extends Observable {
  /** The prediction as far as it has come. */
  get view(): PredictionView | null {
    return this._view;
  }

  /** Why there is none, where asking failed before there was a prediction. */
  get error(): ApiError | null {
    return this._error;
  }

  /** Whether text is still expected. */
  get isRunning(): boolean {
    return this._controller !== null || this._view?.status === 'running';
  }

  /** Whether a stream is open. */
  get isFollowing(): boolean {
    return this._controller !== null;
  }

  /** The prediction, unless the user waved it away or it never came to its end. */
  get visible(): PredictionView | null {
    const view = this._view;
    const isHidden =
      !view || view.id === this._dismissed || GIVEN_UP.has(view.status);
    return isHidden ? null : view;
  }

  /** Show a prediction that is complete, or none. */
  set(view: PredictionView | null): void {
    this._close();
    this._error = null;
    this._view = view;
    this.emitChanged();
  }

  /** Hide the prediction until there is another one. */
  dismiss(): void {
    this._dismissed = this._view?.id ?? null;
    this.emitChanged();
  }

  /** Close the stream; what was shown of a prediction that never came to its end goes. */
  stop(): void {
    const wasOpen = this._close();
    if (wasOpen && this._view?.status === 'running') {
      this._view = null;
    }
    if (wasOpen) {
      this.emitChanged();
    }
  }

  /**
   * Follow a stream to its end in place of what was shown.
   *
   * @returns The error that ended it, if one did.
   */
  async follow(open: StreamOpener): Promise<ApiError | null> {
    this._close();
    const controller = new AbortController();
    this._controller = controller;
    this._error = null;
    this.emitChanged();
    try {
      for await (const line of open(controller.signal)) {
        if (this._controller !== controller) {
          return null;
        }
        this._take(line);
      }
    } catch (error) {
      if (this._controller === controller && !isAbort(error)) {
        this._error = toApiError(error);
      }
    }
    if (this._controller !== controller) {
      return null;
    }
    this._controller = null;
    if (this._view?.status === 'running') {
      // The connection ended before the prediction did: its text may be half of it.
      this._view = null;
    }
    this.emitChanged();
    return this._error;
  }

  override dispose(): void {
    this._close();
    super.dispose();
  }

  private _take(line: DeltaLine): void {
    if (line.prediction) {
      this._view = line.prediction;
    } else if (this._view?.id === line.id) {
      this._view = { ...this._view, text: line.text };
    }
    this.emitChanged();
  }

  private _close(): boolean {
    const controller = this._controller;
    this._controller = null;
    controller?.abort();
    return controller !== null;
  }

  private _view: PredictionView | null = null;
  private _error: ApiError | null = null;
  private _controller: AbortController | null = null;
  private _dismissed: string | null = null;
}
