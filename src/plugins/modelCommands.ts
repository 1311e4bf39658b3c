import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { CommandIds } from '../commandIds';
import { formatBytes, shortModelName } from '../model/format';
import type { ThemistoModel } from '../model/themistoModel';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

/** Add the commands about the model and the settings. */
export function addModelCommands(
  commands: CommandRegistry,
  model: ThemistoModel
): void {
  const { server, settings } = model;
  commands.addCommand(CommandIds.chooseModel, {
    label: args => modelLabel(args),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name of the model.' }
        },
        required: ['name']
      }
    },
    isToggled: args => args.name === settings.view.model,
    isEnabled: args => args.state !== 'unavailable',
    execute: args => settings.set('model', String(args.name))
  });
  commands.addCommand(CommandIds.pullModel, {
    label: () =>
      `Pull the Model ${shortModelName(server.model?.name ?? settings.view.model)}`,
    describedBy: NO_ARGS,
    isEnabled: () => server.model?.kind === 'local' && !server.pull.isRunning,
    execute: () => server.pull.start(server.model?.name ?? settings.view.model)
  });
  commands.addCommand(CommandIds.cancelPull, {
    label: 'Stop Pulling the Model',
    describedBy: NO_ARGS,
    isEnabled: () => server.pull.isRunning,
    execute: () => server.pull.cancel()
  });
  commands.addCommand(CommandIds.retry, {
    label: 'Look Again at the Themisto Lab Server',
    describedBy: NO_ARGS,
    execute: async () => {
      await server.refresh();
      await model.notebook.kernel.refresh();
      model.notebook.output.forecaster.resume();
    }
  });
  commands.addCommand(CommandIds.openSettings, {
    label: 'Themisto Lab Settings',
    describedBy: NO_ARGS,
    isEnabled: () => commands.hasCommand('settingeditor:open'),
    execute: () =>
      commands.execute('settingeditor:open', { query: 'Themisto Lab' })
  });
}

/** A model in the menu: its name, and what is in the way of using it. */
function modelLabel(args: ReadonlyPartialJSONObject): string {
  const { name, kind, state, sizeBytes } = args;
  const facts = [String(kind ?? '')];
  if (state === 'missing') {
    const size =
      typeof sizeBytes === 'number' ? `, ${formatBytes(sizeBytes)}` : '';
    facts.push(`not pulled${size}`);
  } else if (state === 'damaged' || state === 'unavailable') {
    facts.push(state);
  }
  return `${shortModelName(String(name ?? ''))} · ${facts.join(' · ')}`;
}
