import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICompletionProviderManager } from '@jupyterlab/completer';

import { CommandIds } from '../commandIds';
import { acceptPart } from '../completer/acceptPart';
import { AcceptanceWatcher } from '../completer/acceptanceWatcher';
import { GhostTrigger } from '../completer/ghostTrigger';
import { InlineProvider } from '../completer/inlineProvider';
import { firstLine, firstWord } from '../model/ghostText';
import type { ThemistoModel } from '../model/themistoModel';
import { IThemistoModel } from '../tokens';
import { themistoIcon } from '../widgets/icon';

/**
 * Shows the predicted next cell as ghost text.
 */
export const completerPlugin: JupyterFrontEndPlugin<void> = {
  id: 'themisto-lab:completer',
  description: 'The predicted next cell as ghost text.',
  autoStart: true,
  requires: [IThemistoModel, ICompletionProviderManager],
  activate: (
    app: JupyterFrontEnd,
    { notebook: model }: ThemistoModel,
    manager: ICompletionProviderManager
  ): void => {
    const { commands } = app;
    const provider = new InlineProvider(model, themistoIcon);
    // The completer reads the list of providers once: this may not wait for anything.
    manager.registerInlineProvider(provider);

    const offered = () => provider.offered;
    const invoke = (): void => {
      if (model.notebook) {
        manager.inline?.invoke(model.notebook.id);
      }
    };
    new GhostTrigger({ model, offered, invoke });
    new AcceptanceWatcher(commands, model, offered);

    const addPart = (
      id: string,
      label: string,
      partOf: (rest: string) => string
    ): void => {
      commands.addCommand(id, {
        label,
        describedBy: { args: { type: 'object', properties: {} } },
        isEnabled: () =>
          model.offer !== null && (model.notebook?.isEditing ?? false),
        execute: () => {
          if (acceptPart(model, partOf)) {
            // After a line break the completer does not look by itself.
            invoke();
          }
        }
      });
    };
    addPart(CommandIds.acceptWord, 'Accept Next Word of Suggestion', firstWord);
    addPart(CommandIds.acceptLine, 'Accept Next Line of Suggestion', firstLine);
  }
};
