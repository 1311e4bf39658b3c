import type { NotebookModel } from './notebookModel';
import type { ServerModel } from './serverModel';

/** What the dot in the header and in the status bar stands for. */
export type Activity = 'ready' | 'thinking' | 'busy' | 'off' | 'trouble';

/** The words beside the dot. */
export const ACTIVITY_WORDS: Record<Activity, string> = {
  ready: 'ready',
  thinking: 'thinking',
  busy: 'busy kernel',
  off: 'off',
  trouble: 'trouble'
};

/** What is going on, the most important thing first. */
export function activityOf(
  server: Pick<ServerModel, 'trouble' | 'isOn'>,
  notebook: Pick<
    NotebookModel,
    'notebook' | 'isOn' | 'isBusy' | 'nextCell' | 'output'
  >
): Activity {
  if (!server.isOn || (notebook.notebook && !notebook.isOn)) {
    return 'off';
  }
  if (server.trouble) {
    return 'trouble';
  }
  if (notebook.nextCell.isRunning || notebook.output.isRunning) {
    return 'thinking';
  }
  return notebook.isBusy ? 'busy' : 'ready';
}
