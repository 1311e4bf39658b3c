import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Clipboard, ICommandPalette } from '@jupyterlab/apputils';
import type { CommandRegistry } from '@lumino/commands';

import { CommandIds } from '../commandIds';
import type { ThemistoModel } from '../model/themistoModel';
import { IThemistoModel, IThemistoPanel } from '../tokens';
import { addModelCommands } from './modelCommands';
import { addRecordCommands } from './recordCommands';

const CATEGORY = 'Themisto Lab';

/** The commands that the palette lists; the others need a place or arguments. */
const LISTED = [
  CommandIds.togglePanel,
  CommandIds.predictNextCell,
  CommandIds.predictOutput,
  CommandIds.insertBelow,
  CommandIds.replace,
  CommandIds.copy,
  CommandIds.dismiss,
  CommandIds.acceptWord,
  CommandIds.acceptLine,
  CommandIds.toggleNotebook,
  CommandIds.describeTask,
  CommandIds.pullModel,
  CommandIds.forget,
  CommandIds.openSettings
];

/**
 * The commands of Themisto Lab, and their place in the palette.
 */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'themisto-lab:commands',
  description: 'The commands of Themisto Lab.',
  autoStart: true,
  requires: [IThemistoModel, IThemistoPanel],
  optional: [ICommandPalette],
  activate: (
    { commands }: JupyterFrontEnd,
    model: ThemistoModel,
    panel: IThemistoPanel,
    palette: ICommandPalette | null
  ): void => {
    addPredictionCommands(commands, model);
    addModelCommands(commands, model);
    addRecordCommands(commands, model);
    commands.addCommand(CommandIds.togglePanel, {
      label: 'Show or Hide the Themisto Lab Panel',
      describedBy: { args: { type: 'object', properties: {} } },
      isToggled: () => panel.isVisible,
      execute: () => panel.toggle()
    });
    for (const command of LISTED) {
      palette?.addItem({ command, category: CATEGORY });
    }
    model.changed.connect(() => {
      for (const command of [CommandIds.toggleNotebook, CommandIds.pullModel]) {
        commands.notifyCommandChanged(command);
      }
    });
  }
};

/** What can be done with predictions. */
function addPredictionCommands(
  commands: CommandRegistry,
  { notebook: model }: ThemistoModel
): void {
  const add = (
    id: string,
    label: string,
    execute: () => void | Promise<void>,
    isEnabled: () => boolean
  ): void => {
    const describedBy = { args: { type: 'object', properties: {} } };
    commands.addCommand(id, { label, execute, isEnabled, describedBy });
  };
  const hasKernel = (): boolean => model.isOn && model.kernel.id !== null;
  const hasText = (): boolean => Boolean(model.nextCell.visible?.text);
  const focus = () => model.notebook?.focus ?? null;

  add(
    CommandIds.predictNextCell,
    'Predict Next Cell Now',
    () => model.predictNextCell(),
    hasKernel
  );
  add(
    CommandIds.predictOutput,
    'Predict Output of This Cell Now',
    () => model.predictOutput(),
    () => hasKernel() && Boolean(focus()?.source.trim())
  );
  add(
    CommandIds.insertBelow,
    'Insert Predicted Cell Below',
    () => model.insertBelow(),
    hasText
  );
  add(
    CommandIds.replace,
    'Replace This Cell by Predicted Cell',
    () => model.replace(),
    () => hasText() && focus() !== null
  );
  add(
    CommandIds.copy,
    'Copy Predicted Cell',
    () => {
      const view = model.nextCell.visible;
      if (view) {
        Clipboard.copyToSystem(view.text);
        model.feedback.report(view, 'copied', { surface: 'sidebar' });
      }
    },
    hasText
  );
  add(
    CommandIds.dismiss,
    'Dismiss Predicted Cell',
    () => model.dismiss(),
    () => model.nextCell.visible !== null
  );
}
