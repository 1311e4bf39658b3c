import type { Event } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

const SCHEMAS = 'https://themisto-lab.github.io/events';

/** A cell began or ended to run. */
export interface IRunEvent {
  kernel_id: string;
  trajectory_id: string;
  action: 'started' | 'finished';
  step_index: number | null;
}

/** A kernel's life began, changed or ended. */
export interface ILifeEvent {
  kernel_id: string;
  trajectory_id: string;
  action: 'started' | 'changed' | 'ended';
}

/** A prediction went from one state to another. */
export interface IPredictionEvent {
  prediction_id: string;
  kernel_id: string;
  task: 'next_cell' | 'cell_output';
  cell_id: string | null;
  shown: boolean;
  action:
    | 'started'
    | 'ready'
    | 'failed'
    | 'scored'
    | 'missed'
    | 'stale'
    | 'cancelled';
}

/** A model is loaded, fetched or stopped. */
export interface IModelEvent {
  name: string;
  action: 'loading' | 'ready' | 'stopped' | 'pulling' | 'pulled' | 'failed';
}

/**
 * The server's events of ours as typed signals. They carry ids only and come for every kernel and every tab.
 */
export class ThemistoEvents implements IDisposable {
  constructor(private readonly _manager: Pick<Event.IManager, 'stream'>) {
    _manager.stream.connect(this._onEmission, this);
  }

  get run(): ISignal<this, IRunEvent> {
    return this._run;
  }

  get life(): ISignal<this, ILifeEvent> {
    return this._life;
  }

  get prediction(): ISignal<this, IPredictionEvent> {
    return this._prediction;
  }

  get model(): ISignal<this, IModelEvent> {
    return this._model;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._manager.stream.disconnect(this._onEmission, this);
      Signal.clearData(this);
    }
  }

  private _onEmission(_: Event.IManager, emission: Event.Emission): void {
    // The schemas on the server hold what an emission carries, so that its type is known by its id.
    const event: unknown = emission;
    switch (emission.schema_id) {
      case `${SCHEMAS}/run/v1`:
        return this._run.emit(event as IRunEvent);
      case `${SCHEMAS}/life/v1`:
        return this._life.emit(event as ILifeEvent);
      case `${SCHEMAS}/prediction/v1`:
        return this._prediction.emit(event as IPredictionEvent);
      case `${SCHEMAS}/model/v1`:
        return this._model.emit(event as IModelEvent);
    }
  }

  private readonly _run = new Signal<this, IRunEvent>(this);
  private readonly _life = new Signal<this, ILifeEvent>(this);
  private readonly _prediction = new Signal<this, IPredictionEvent>(this);
  private readonly _model = new Signal<this, IModelEvent>(this);
  private _isDisposed = false;
}
