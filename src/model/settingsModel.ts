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

/** Take from the front end's settings what the server needs to know. */
export function toSettingsView(
  composite: Record<string, unknown>
): SettingsView {
  const view: Record<string, unknown> = { ...DEFAULT_SETTINGS };
  for (const key of Object.keys(DEFAULT_SETTINGS)) {
    if (composite[key] !== undefined) {
      view[key] = composite[key];
    }
  }
  // The schema in schema/plugin.json has held each value to its type already.
  return view as unknown as SettingsView;
}

/**
 * The user's settings: read from JupyterLab's, and written there.
 */
export class SettingsModel extends Observable {
  get view(): SettingsView {
    return this._view;
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
    if (this._settings) {
      this._view = toSettingsView(this._settings.composite);
      this.emitChanged();
    }
  }

  private _settings: ISettingRegistry.ISettings | null = null;
  private _view: SettingsView = DEFAULT_SETTINGS;
}
