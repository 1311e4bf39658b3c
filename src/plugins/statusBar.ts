import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';

import { CommandIds } from '../commandIds';
import type { ThemistoModel } from '../model/themistoModel';
import { IThemistoModel } from '../tokens';
import { StatusItem } from '../widgets/statusItem';

/**
 * Says in the status bar what is going on.
 */
export const statusBarPlugin: JupyterFrontEndPlugin<void> = {
  id: 'themisto-lab:status-bar',
  description: 'The status-bar item of Themisto Lab.',
  autoStart: true,
  requires: [IThemistoModel],
  optional: [IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    model: ThemistoModel,
    statusBar: IStatusBar | null
  ): void => {
    const item = new StatusItem(model, () => {
      void app.commands.execute(CommandIds.togglePanel);
    });
    statusBar?.registerStatusItem('themisto-lab:status', {
      item,
      align: 'right',
      rank: 50
    });
  }
};
