import type { ThemistoClient } from '../api/client';
import type {
  IPredictionEvent,
  IRunEvent,
  ThemistoEvents
} from '../api/events';
import type { AskRequest, KernelView, PredictionView } from '../api/generated';
import { Feedback } from './feedback';
import { KernelModel } from './kernelModel';
import type { INotebook, INotebookOptions, IRunDone } from './notebook';
import { Observable } from './observable';
import { OutputSlot } from './outputSlot';
import { PredictionSlot } from './predictionSlot';
import type { SettingsModel } from './settingsModel';

/**
 * The open notebook: what is predicted for it, and what the user does with that.
 */
export class NotebookModel extends Observable {
  constructor(
    private readonly _client: ThemistoClient,
    events: ThemistoEvents,
    private readonly _settings: SettingsModel
  ) {
    super();
    this.feedback = new Feedback(_client);
    this.kernel = new KernelModel(_client, events);
    this.output = new OutputSlot(
      (slot, ask) => this._ask(slot, ask),
      () => this.isOn && _settings.view.output === 'pause'
    );
    for (const part of [this.nextCell, this.output, this.kernel]) {
      part.changed.connect(this.emitChanged, this);
    }
    this.kernel.refreshed.connect(this._onRefreshed, this);
    this.kernel.run.connect(this._onRun, this);
    this.kernel.life.connect(this._onLife, this);
    this.kernel.prediction.connect(this._onPrediction, this);
    _settings.changed.connect(this._onSettingsChanged, this);
  }

  readonly kernel: KernelModel;
  readonly feedback: Feedback;
  /** The prediction of the cell that is run next. */
  readonly nextCell = new PredictionSlot();
  /** The forecast of the output of the cell in focus. */
  readonly output: OutputSlot;

  get notebook(): INotebook | null {
    return this._notebook;
  }

  set notebook(notebook: INotebook | null) {
    if (notebook !== this._notebook) {
      this._disconnect();
      this._notebook = notebook;
      this._scheduled.clear();
      this._connect();
      this._onKernelChanged();
      this._onFocusChanged();
    }
  }

  /** Whether a cell runs, or waits to be run, in the kernel. */
  get isBusy(): boolean {
    return this._scheduled.size > 0 || (this.kernel.view?.running ?? false);
  }

  /** Whether predictions are wanted for this notebook. */
  get isOn(): boolean {
    return (
      this._settings.view.enabled && (this._notebook?.options.enabled ?? false)
    );
  }

  /** The forecast, if it is about the cell in focus or about one that runs. */
  get visibleOutput(): PredictionView | null {
    const view = this.output.visible;
    const cellId = view?.cell_id ?? null;
    const isOurs =
      cellId !== null &&
      (cellId === this._notebook?.focus?.id || this._scheduled.has(cellId));
    return this.isOn && isOurs ? view : null;
  }

  /** The next cell, while it may still be put into the notebook. */
  get offer(): PredictionView | null {
    const view = this.nextCell.visible;
    const isOpen = view?.status === 'running' || view?.status === 'ready';
    return this.isOn && isOpen && view.id !== this._consumed ? view : null;
  }

  /** Ask for the next cell now. */
  async predictNextCell(): Promise<void> {
    const below = this._notebook?.below ?? null;
    await this._ask(this.nextCell, {
      task: 'next_cell',
      below,
      trigger: 'ask'
    });
  }

  /** Ask for the output of the cell in focus now. */
  async predictOutput(): Promise<void> {
    const cell = this._notebook?.focus;
    if (cell?.source.trim()) {
      await this.output.predict(cell, 'ask');
    }
  }

  /** Put the next cell below the cell in focus. */
  insertBelow(): void {
    this._place('inserted', text => this._notebook?.insertBelow(text));
  }

  /** Put the next cell in place of the cell in focus. */
  replace(): void {
    this._place('replaced', text => this._notebook?.replace(text));
  }

  /** Wave the next cell away. */
  dismiss(): void {
    const view = this.nextCell.visible;
    if (view) {
      this.nextCell.dismiss();
      this.feedback.report(view, 'dismissed', { surface: 'sidebar' });
    }
  }

  /** Change the notebook's own options. */
  setOptions(options: Partial<INotebookOptions>): void {
    const notebook = this._notebook;
    notebook?.setOptions({ ...notebook.options, ...options });
  }

  override dispose(): void {
    this.notebook = null;
    this._settings.changed.disconnect(this._onSettingsChanged, this);
    this.kernel.dispose();
    this.nextCell.dispose();
    this.output.dispose();
    super.dispose();
  }

  /** Ask, and follow the answer in a slot. Returns whether it failed. */
  private async _ask(
    slot: PredictionSlot,
    ask: Omit<AskRequest, 'kernel_id'>
  ): Promise<boolean> {
    const kernelId = this.kernel.id;
    if (!kernelId) {
      return false;
    }
    const error = await slot.follow(signal =>
      this._client.ask({ ...ask, kernel_id: kernelId }, signal)
    );
    return error !== null || slot.view?.status === 'failed';
  }

  private _place(
    action: 'inserted' | 'replaced',
    put: (text: string) => string | null | undefined
  ): void {
    const view = this.nextCell.visible;
    const cellId = view?.text ? put(view.text) : null;
    if (view && cellId) {
      this.feedback.placed(cellId, view, view.text);
      this.feedback.report(view, action, { surface: 'sidebar' });
    }
  }

  private _onKernelChanged(): void {
    const notebook = this._notebook;
    if (notebook?.kernelId !== this.kernel.id) {
      this.kernel.id = notebook?.kernelId ?? null;
      this.nextCell.set(null);
      this.output.reset();
      this._consumed = null;
      this._optionsSentTo = null;
    }
    void this.kernel.refresh();
  }

  private _onRefreshed(_: KernelModel, view: KernelView): void {
    if (this._optionsSentTo !== view.trajectory_id) {
      this._optionsSentTo = view.trajectory_id;
      this._onOptionsChanged();
    }
    if (!this.nextCell.isFollowing) {
      this._showNextCell(view.next_cell);
    }
    this.output.update(view);
    this._releaseIfFree();
  }

  private _showNextCell(view: PredictionView | null): void {
    if (view?.status === 'running') {
      this._followNextCell(view.id);
    } else if (
      view?.id !== this.nextCell.view?.id ||
      view?.status !== this.nextCell.view?.status
    ) {
      this.nextCell.set(view);
    }
  }

  private _followNextCell(id: string): void {
    void this.nextCell.follow(signal =>
      this._client.followPrediction(id, signal)
    );
  }

  private _onPrediction(_: KernelModel, event: IPredictionEvent): void {
    if (event.action !== 'started') {
      this.feedback.completed(event.prediction_id);
    }
    if (
      event.task === 'next_cell' &&
      event.shown &&
      event.action === 'started' &&
      event.prediction_id !== this.nextCell.view?.id
    ) {
      this._followNextCell(event.prediction_id);
    }
  }

  private _onRun(_: KernelModel, event: IRunEvent): void {
    if (event.action === 'started') {
      this._consumed = this.nextCell.view?.id ?? null;
      this.output.forecaster.hold(null);
    } else {
      this._releaseIfFree();
    }
  }

  /** Forecasts wait until the server has recorded what ran: before that they would be about an old state. */
  private _releaseIfFree(): void {
    if (!this.isBusy) {
      this.output.forecaster.release();
    }
  }

  private _onLife(): void {
    // A kernel that ends takes with it what was waiting for it.
    this._scheduled.clear();
    this.output.forecaster.release();
  }

  private _onRunScheduled(notebook: INotebook, cellId: string): void {
    this._scheduled.add(cellId);
    this._consumed = this.nextCell.view?.id ?? null;
    this.output.forecaster.hold(cellId);
    this.feedback.ran(cellId, notebook.sourceOf(cellId));
    this.emitChanged();
  }

  private _onRunDone(_: INotebook, { cellId, success }: IRunDone): void {
    if (success) {
      this._scheduled.delete(cellId);
    } else {
      this._scheduled.clear();
    }
    // The event says the same; a look holds also where the events' connection is down.
    this.kernel.refreshSoon();
    this.emitChanged();
  }

  private _onFocusChanged(): void {
    const focus = this._notebook?.focus ?? null;
    this.output.focusOn(focus, this._scheduled.has(focus?.id ?? ''));
    this.emitChanged();
  }

  private _onOptionsChanged(): void {
    if (this._notebook) {
      void this.kernel.putOptions(this._notebook.options);
    }
    this.emitChanged();
  }

  private _onSettingsChanged(): void {
    this.output.forecaster.resume();
    this.emitChanged();
  }

  private _connect(): void {
    const notebook = this._notebook;
    notebook?.kernelChanged.connect(this._onKernelChanged, this);
    notebook?.focusChanged.connect(this._onFocusChanged, this);
    notebook?.optionsChanged.connect(this._onOptionsChanged, this);
    notebook?.runScheduled.connect(this._onRunScheduled, this);
    notebook?.runDone.connect(this._onRunDone, this);
  }

  private _disconnect(): void {
    const notebook = this._notebook;
    notebook?.kernelChanged.disconnect(this._onKernelChanged, this);
    notebook?.focusChanged.disconnect(this._onFocusChanged, this);
    notebook?.optionsChanged.disconnect(this._onOptionsChanged, this);
    notebook?.runScheduled.disconnect(this._onRunScheduled, this);
    notebook?.runDone.disconnect(this._onRunDone, this);
  }

  private _notebook: INotebook | null = null;
  private readonly _scheduled = new Set<string>();
  private _consumed: string | null = null;
  private _optionsSentTo: string | null = null;
}
