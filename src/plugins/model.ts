import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { ThemistoClient } from '../api/client';
import { ThemistoEvents } from '../api/events';
import { ThemistoModel } from '../model/themistoModel';
import { LabNotebook } from '../notebook/labNotebook';
import { IThemistoModel } from '../tokens';

/** The id of the schema in schema/plugin.json. */
export const SETTINGS_ID = 'themisto-lab:plugin';

/**
 * Provides the model, loads the settings into it, and lets it follow the open notebook.
 */
export const modelPlugin: JupyterFrontEndPlugin<ThemistoModel> = {
  id: SETTINGS_ID,
  description: 'What Themisto Lab knows of the server and the open notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ISettingRegistry],
  provides: IThemistoModel,
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    registry: ISettingRegistry | null
  ): ThemistoModel => {
    const { events, serverSettings } = app.serviceManager;
    const model = new ThemistoModel(
      new ThemistoClient(serverSettings),
      new ThemistoEvents(events)
    );
    followNotebook(model, tracker);
    followConnection(model);
    void loadSettings(model, registry);
    return model;
  }
};

/** Without settings the defaults apply: a page that has no setting registry still works. */
async function loadSettings(
  model: ThemistoModel,
  registry: ISettingRegistry | null
): Promise<void> {
  try {
    const settings = await registry?.load(SETTINGS_ID);
    if (settings) {
      model.settings.attach(settings);
      return;
    }
  } catch {
    // The schema can't be had from the server; the next look says what is wrong with it.
  }
  await model.server.refresh();
}

/** Let the model see the notebook that is in front, or was last. */
function followNotebook(model: ThemistoModel, tracker: INotebookTracker): void {
  const show = (panel: NotebookPanel | null): void => {
    const current = model.notebook.notebook;
    if (current instanceof LabNotebook && current.panel === panel) {
      return;
    }
    const next = panel ? new LabNotebook(panel) : null;
    model.notebook.notebook = next;
    current?.dispose();
    panel?.disposed.connect(() => {
      if (next && model.notebook.notebook === next) {
        show(tracker.currentWidget);
      }
    });
  };
  tracker.currentChanged.connect((_, panel) => show(panel));
  show(tracker.currentWidget);
}

/** Events that came while the page slept or the network was away are lost: look again after it. */
function followConnection(model: ThemistoModel): void {
  window.addEventListener('online', () => model.refresh());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      model.refresh();
    }
  });
}
