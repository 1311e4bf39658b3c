import { isAbort, toApiError } from '../api/apiError';
import type { ThemistoClient } from '../api/client';
import type { ErrorView, PullView } from '../api/generated';
import { Observable } from './observable';

/**
 * The fetch of a model's file, followed while it runs.
 */
export class PullModel extends Observable {
  constructor(
    private readonly _client: Pick<
      ThemistoClient,
      'pull' | 'followPull' | 'cancelPull'
    >
  ) {
    super();
  }

  /** The fetch as far as it has come. */
  get view(): PullView | null {
    return this._view;
  }

  get isRunning(): boolean {
    return this._controller !== null;
  }

  /** Why the last fetch failed. */
  get error(): ErrorView | null {
    return this._error ?? this._view?.error ?? null;
  }

  /** Start to fetch a model, and follow that to its end. */
  async start(name: string): Promise<void> {
    await this._run(name, true);
  }

  /** Follow a fetch that somebody else started. */
  async join(name: string): Promise<void> {
    await this._run(name, false);
  }

  /** Give up the fetch; what has come is kept for the next time. */
  async cancel(): Promise<void> {
    const name = this._view?.name;
    if (name) {
      try {
        await this._client.cancelPull(name);
      } catch (error) {
        this._error = toApiError(error).view;
        this.emitChanged();
      }
    }
  }

  override dispose(): void {
    this._controller?.abort();
    super.dispose();
  }

  private async _run(name: string, isNew: boolean): Promise<void> {
    if (this._controller) {
      return;
    }
    const controller = new AbortController();
    this._controller = controller;
    this._view = null;
    this._error = null;
    this.emitChanged();
    try {
      if (isNew) {
        this._view = await this._client.pull(name);
        this.emitChanged();
      }
      for await (const view of this._client.followPull(
        name,
        controller.signal
      )) {
        this._view = view;
        this.emitChanged();
      }
    } catch (error) {
      if (!isAbort(error)) {
        this._error = toApiError(error).view;
      }
    }
    this._controller = null;
    this.emitChanged();
  }

  private _view: PullView | null = null;
  private _error: ErrorView | null = null;
  private _controller: AbortController | null = null;
}
