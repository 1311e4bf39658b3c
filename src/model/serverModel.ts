import { Throttler } from '@lumino/polling';

import { type ApiError, toApiError } from '../api/apiError';
import type { ThemistoClient } from '../api/client';
import type { ThemistoEvents } from '../api/events';
import type {
  ErrorView,
  ForgetRequest,
  ForgetView,
  ModelsView,
  ModelView,
  SettingsView,
  StatusView,
  StoreView
} from '../api/generated';
import { Observable } from './observable';
import { PullModel } from './pullModel';
import type { SettingsModel } from './settingsModel';

/** At most one look at the server in this time, in ms, however many events come. */
const REFRESH_MS = 300;

/** What is wrong with a model's file, which the offer to pull it says already. */
const FILE_CODES = new Set(['model_missing', 'model_damaged']);

/**
 * What is true for the whole server: the model in use, the store, trouble.
 */
export class ServerModel extends Observable {
  constructor(
    private readonly _client: ThemistoClient,
    private readonly _events: ThemistoEvents,
    readonly settings: SettingsModel
  ) {
    super();
    this.pull = new PullModel(_client);
    this.pull.changed.connect(this._onPullChanged, this);
    _events.model.connect(this._onModelEvent, this);
    settings.changed.connect(this._onSettingsChanged, this);
  }

  readonly pull: PullModel;

  get status(): StatusView | null {
    return this._status;
  }

  get models(): ModelsView | null {
    return this._models;
  }

  /** The model in use. */
  get model(): ModelView | null {
    return this._status?.model ?? null;
  }

  get store(): StoreView | null {
    return this._status?.store ?? null;
  }

  /** The one thing that is wrong, if anything is. */
  get trouble(): ErrorView | null {
    const trouble = this._error?.view ?? this._status?.trouble ?? null;
    // A model that is not here yet is a question, not a fault: it has a place of its own.
    return trouble && FILE_CODES.has(trouble.code) ? null : trouble;
  }

  get isOn(): boolean {
    return this.settings.view.enabled;
  }

  /** Look again. */
  async refresh(): Promise<void> {
    try {
      this._status = await this._client.status();
      this._error = null;
      if (this._status.model.state === 'pulling') {
        // Another page, or the command line, fetches it: show the same bar.
        void this.pull.join(this._status.model.name);
      }
    } catch (error) {
      this._error = toApiError(error);
    }
    this.emitChanged();
  }

  /** Look again before long; many calls make one look. */
  refreshSoon(): void {
    void this._throttler.invoke();
  }

  /** Ask for the list of models. */
  async loadModels(): Promise<ModelsView | null> {
    try {
      this._models = await this._client.models();
      this.emitChanged();
    } catch (error) {
      this._error = toApiError(error);
      this.emitChanged();
    }
    return this._models;
  }

  /** Erase what matches, or count it. */
  async forget(request: ForgetRequest): Promise<ForgetView> {
    const view = await this._client.forget(request);
    if (!request.dry_run) {
      await this.refresh();
    }
    return view;
  }

  override dispose(): void {
    this._events.model.disconnect(this._onModelEvent, this);
    this.settings.changed.disconnect(this._onSettingsChanged, this);
    this.pull.dispose();
    this._throttler.dispose();
    super.dispose();
  }

  private _onSettingsChanged(): void {
    const chosen = this.settings.chosen;
    const text = JSON.stringify(chosen);
    if (text !== this._pushed) {
      this._pushed = text;
      // One at a time and in order, so that the last choice is the one that stays.
      this._pushing = this._pushing.then(() => this._push(chosen));
    }
    this.emitChanged();
  }

  private async _push(chosen: Partial<SettingsView>): Promise<void> {
    try {
      this.settings.adopt(await this._client.putSettings(chosen));
    } catch (error) {
      this._pushed = '';
      this._error = toApiError(error);
      this.emitChanged();
      return;
    }
    await this.refresh();
  }

  private _onPullChanged(): void {
    if (!this.pull.isRunning) {
      this.refreshSoon();
    }
    this.emitChanged();
  }

  private _onModelEvent(): void {
    this.refreshSoon();
  }

  private readonly _throttler = new Throttler(() => this.refresh(), {
    limit: REFRESH_MS,
    edge: 'trailing'
  });
  private _status: StatusView | null = null;
  private _models: ModelsView | null = null;
  private _error: ApiError | null = null;
  private _pushing: Promise<void> = Promise.resolve();
  private _pushed = '';
}
