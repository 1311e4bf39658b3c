import { Notification } from '@jupyterlab/apputils';
import type { CommandRegistry } from '@lumino/commands';

import { toApiError } from '../api/apiError';
import { CommandIds } from '../commandIds';
import type { ThemistoModel } from '../model/themistoModel';
import { MAX_TASK_LENGTH } from '../notebook/metadata';
import { askToForget } from '../widgets/forgetDialog';
import { askForTask } from '../widgets/taskDialog';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

/** Add the commands about one notebook's own options, and about what is recorded. */
export function addRecordCommands(
  commands: CommandRegistry,
  { notebook: model, server }: ThemistoModel
): void {
  const hasNotebook = (): boolean => model.notebook !== null;
  commands.addCommand(CommandIds.toggleNotebook, {
    label: () =>
      model.notebook?.options.enabled === false
        ? 'Resume for This Notebook'
        : 'Pause for This Notebook',
    describedBy: NO_ARGS,
    isEnabled: hasNotebook,
    execute: () =>
      model.setOptions({ enabled: !model.notebook?.options.enabled })
  });
  commands.addCommand(CommandIds.describeTask, {
    label: 'Describe the Task of This Notebook…',
    describedBy: NO_ARGS,
    isEnabled: hasNotebook,
    execute: async () => {
      const before = model.notebook?.options.task_description ?? '';
      const text = await askForTask(before, MAX_TASK_LENGTH);
      if (text !== null) {
        model.setOptions({ task_description: text });
      }
    }
  });
  commands.addCommand(CommandIds.forget, {
    label: 'Forget What Is Recorded…',
    describedBy: NO_ARGS,
    execute: async () => {
      const path = model.notebook?.path ?? null;
      try {
        const words = await askToForget(path, request =>
          server.forget(request)
        );
        if (words) {
          Notification.success(words, { autoClose: 5000 });
          model.kernel.refreshSoon();
        }
      } catch (error) {
        Notification.error(toApiError(error).message);
      }
    }
  });
}
