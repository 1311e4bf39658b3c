import type { ThemistoClient } from '../api/client';
import type { ThemistoEvents } from '../api/events';
import type { SentView, StateView } from '../api/generated';
import { LazyModel } from './lazyModel';
import { NotebookModel } from './notebookModel';
import { Observable } from './observable';
import { ServerModel } from './serverModel';
import { SettingsModel } from './settingsModel';
import { TrajectoryModel } from './trajectoryModel';

/**
 * All that the page knows: the settings, the server, the open notebook, and what is looked up on demand.
 */
export class ThemistoModel extends Observable {
  constructor(client: ThemistoClient, events: ThemistoEvents) {
    super();
    this.settings = new SettingsModel();
    this.server = new ServerModel(client, events, this.settings);
    this.notebook = new NotebookModel(client, events, this.settings);
    this.trajectory = new TrajectoryModel(client);
    this.state = new LazyModel(kernelId => client.state(kernelId));
    this.sent = new LazyModel(id => client.sent(id));
    for (const part of [this.server, this.notebook]) {
      part.changed.connect(this.emitChanged, this);
    }
  }

  readonly settings: SettingsModel;
  readonly server: ServerModel;
  readonly notebook: NotebookModel;
  readonly trajectory: TrajectoryModel;
  readonly state: LazyModel<StateView>;
  readonly sent: LazyModel<SentView>;

  /** Look at everything again, after a time in which events may have been lost. */
  refresh(): void {
    this.server.refreshSoon();
    this.notebook.kernel.refreshSoon();
  }

  override dispose(): void {
    this.notebook.dispose();
    this.server.dispose();
    this.settings.dispose();
    this.trajectory.dispose();
    this.state.dispose();
    this.sent.dispose();
    super.dispose();
  }
}
