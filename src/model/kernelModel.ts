import { Throttler } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';

import { type ApiError, toApiError } from '../api/apiError';
import type { ThemistoClient } from '../api/client';
import type {
  ILifeEvent,
  IPredictionEvent,
  IRunEvent,
  ThemistoEvents
} from '../api/events';
import type { KernelView, NotebookOptions, ScoresView } from '../api/generated';
import { Observable } from './observable';

/** At most one look at a kernel in this time, in ms: Run All makes an event a cell. */
const REFRESH_MS = 250;

/**
 * The kernel of the open notebook as the server sees it, with its scores. Events of other kernels are dropped here.
 */
export class KernelModel extends Observable {
  constructor(
    private readonly _client: ThemistoClient,
    private readonly _events: ThemistoEvents
  ) {
    super();
    _events.run.connect(this._onRun, this);
    _events.life.connect(this._onLife, this);
    _events.prediction.connect(this._onPrediction, this);
  }

  get id(): string | null {
    return this._id;
  }

  set id(id: string | null) {
    if (id !== this._id) {
      this._id = id;
      this._view = null;
      this._scores = null;
      this._error = null;
      this.emitChanged();
    }
  }

  /** What is recorded of it; null while it is not recorded. */
  get view(): KernelView | null {
    return this._view;
  }

  get scores(): ScoresView | null {
    return this._scores;
  }

  /** Why it can't be shown. */
  get error(): ApiError | null {
    return this._error;
  }

  /** The view and the scores are new from the server. */
  get refreshed(): ISignal<this, KernelView> {
    return this._refreshed;
  }

  /** A cell began or ended to run in this kernel. */
  get run(): ISignal<this, IRunEvent> {
    return this._run;
  }

  /** The kernel was started, restarted or ended. */
  get life(): ISignal<this, ILifeEvent> {
    return this._life;
  }

  /** A prediction about this kernel went from one state to another. */
  get prediction(): ISignal<this, IPredictionEvent> {
    return this._prediction;
  }

  /** Look again. */
  async refresh(): Promise<void> {
    const id = this._id;
    if (!id || this.isDisposed) {
      return;
    }
    try {
      const [view, scores] = await Promise.all([
        this._client.kernel(id),
        this._client.scores(id)
      ]);
      if (id === this._id) {
        this._view = view;
        this._scores = scores;
        this._error = null;
        this._refreshed.emit(view);
      }
    } catch (error) {
      if (id === this._id) {
        this._error = toApiError(error);
      }
    }
    if (id === this._id) {
      this.emitChanged();
    }
  }

  /** Look again before long; many calls make one look. */
  refreshSoon(): void {
    if (!this.isDisposed) {
      void this._throttler.invoke();
    }
  }

  /** Tell the server the notebook's own options. */
  async putOptions(options: NotebookOptions): Promise<void> {
    const id = this._id;
    if (!id) {
      return;
    }
    try {
      const view = await this._client.putNotebook(id, options);
      if (id === this._id) {
        this._view = view;
        this._refreshed.emit(view);
        this.emitChanged();
      }
    } catch {
      // Not recorded yet: the options are sent again when its life begins.
    }
  }

  override dispose(): void {
    this._events.run.disconnect(this._onRun, this);
    this._events.life.disconnect(this._onLife, this);
    this._events.prediction.disconnect(this._onPrediction, this);
    this._throttler.dispose();
    super.dispose();
  }

  private _onRun(_: ThemistoEvents, event: IRunEvent): void {
    if (event.kernel_id !== this._id) {
      return;
    }
    if (this._view) {
      this._view = { ...this._view, running: event.action === 'started' };
    }
    this._run.emit(event);
    if (event.action === 'finished') {
      this.refreshSoon();
    }
    this.emitChanged();
  }

  private _onLife(_: ThemistoEvents, event: ILifeEvent): void {
    if (event.kernel_id === this._id) {
      this._life.emit(event);
      this.refreshSoon();
    }
  }

  private _onPrediction(_: ThemistoEvents, event: IPredictionEvent): void {
    if (event.kernel_id === this._id) {
      this._prediction.emit(event);
      if (event.action !== 'started') {
        this.refreshSoon();
      }
    }
  }

  private readonly _throttler = new Throttler(() => this.refresh(), {
    limit: REFRESH_MS,
    edge: 'trailing'
  });
  private readonly _refreshed = new Signal<this, KernelView>(this);
  private readonly _run = new Signal<this, IRunEvent>(this);
  private readonly _life = new Signal<this, ILifeEvent>(this);
  private readonly _prediction = new Signal<this, IPredictionEvent>(this);
  private _id: string | null = null;
  private _view: KernelView | null = null;
  private _scores: ScoresView | null = null;
  private _error: ApiError | null = null;
}
