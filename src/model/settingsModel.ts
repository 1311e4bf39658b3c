import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { JSONValue } from '@lumino/coreutils';

import type { SettingsView } from '../api/generated';
import { Observable } from './observable';

/** Where the sidebar stands. */
export type Side = 'left' | 'right';

/** What applies until the settings are loaded, the same as the server's own defaults. */
export const DEFAULT_SETTINGS: SettingsView = {
  enabled: true,
  recording: true,
  model: 'local/qwen2.5-coder-0.5b',
  arms: ['runtime', 'no_runtime'],
  next_cell: 'run_end',
  output: 'pause',
  context_tokens: 2048,
  remote_allowed: false,
  remote_per_hour: 60,
  timeout_s: 60,
  store_cap_bytes: 500_000_000
};

/**
 * Take from the front end's settings what the server needs to know: what somebody chose.
 *
 * @param composite All settings, with the schema's defaults where nobody chose.
 * @param user What the user wrote, which counts even where it is the default.
 */
export function chosenSettings(
  composite: Record<string, unknown>,
  user: Record<string, unknown> = {}
): Partial<SettingsView> {
  const chosen: Record<string, unknown> = {};
  for (const [key, initial] of Object.entries(DEFAULT_SETTINGS)) {
    const value = composite[key];
    const isChosen =
      key in user || JSON.stringify(value) !== JSON.stringify(initial);
    if (value !== undefined && isChosen) {
      chosen[key] = value;
    }
  }
  // The schema in schema/plugin.json has held each value to its type already.
  return chosen;
}

/**
 * The user's settings: read from JupyterLab's, and written there.
 */
export class SettingsModel extends Observable {
  /** What is in force: the user's choices, and for the rest what the server says. */
  get view(): SettingsView {
    return this._view;
  }

  /** What the user chose. */
  get chosen(): Partial<SettingsView> {
    return this._settings
      ? chosenSettings(this._settings.composite, this._settings.user)
      : {};
  }

  /** Take over what the server says is in force. */
  adopt(view: SettingsView): void {
    this._server = view;
    this._read();
  }

  get side(): Side {
    return this._settings?.composite.side === 'left' ? 'left' : 'right';
  }

  /** Take the settings once they are loaded, and follow them. */
  attach(settings: ISettingRegistry.ISettings): void {
    this._settings = settings;
    settings.changed.connect(this._read, this);
    this._read();
  }

  /** Write one setting as the user's own. */
  async set(key: keyof SettingsView, value: JSONValue): Promise<void> {
    await this._settings?.set(key, value);
  }

  override dispose(): void {
    this._settings?.changed.disconnect(this._read, this);
    super.dispose();
  }

  private _read(): void {
    this._view = { ...this._server, ...this.chosen };
    this.emitChanged();
  }

  private _settings: ISettingRegistry.ISettings | null = null;
  private _server: SettingsView = DEFAULT_SETTINGS;
  private _view: SettingsView = DEFAULT_SETTINGS;
}
