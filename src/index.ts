import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { commandsPlugin } from './plugins/commands';
import { completerPlugin } from './plugins/completer';
import { modelPlugin } from './plugins/model';
import { panelPlugin } from './plugins/panel';
import { statusBarPlugin } from './plugins/statusBar';

export * from './tokens';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  modelPlugin,
  panelPlugin,
  completerPlugin,
  commandsPlugin,
  statusBarPlugin
];

export default plugins;
