import { MenuSvg } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import type { ModelView } from '../api/generated';
import { CommandIds } from '../commandIds';
import type { ServerModel } from '../model/serverModel';

/** Models first, then what costs nothing. */
const ORDER: ModelView['kind'][] = ['local', 'remote', 'baseline'];

/** A predictor that no person needs. */
const FOR_TESTS = 'echo';

/**
 * Opens the menus of the side panel.
 */
export class MenuOpener {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _server: ServerModel
  ) {}

  /** Open a menu below an element. */
  async open(kind: 'more' | 'models', anchor: HTMLElement): Promise<void> {
    const menu = new MenuSvg({ commands: this._commands });
    menu.addClass('themisto-Menu');
    if (kind === 'more') {
      this._fillMore(menu);
    } else {
      await this._fillModels(menu);
    }
    menu.aboutToClose.connect(() => {
      anchor.focus();
      // The chosen command still runs while the menu closes.
      setTimeout(() => menu.dispose());
    });
    const { left, bottom } = anchor.getBoundingClientRect();
    menu.open(left, bottom);
  }

  private _fillMore(menu: MenuSvg): void {
    menu.addItem({ command: CommandIds.predictNextCell });
    menu.addItem({ command: CommandIds.predictOutput });
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIds.toggleNotebook });
    menu.addItem({ command: CommandIds.describeTask });
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIds.forget });
    menu.addItem({ command: CommandIds.openSettings });
  }

  private async _fillModels(menu: MenuSvg): Promise<void> {
    const view = await this._server.loadModels();
    const models = (view?.models ?? [])
      .filter(({ name }) => name !== FOR_TESTS || name === view?.current)
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    for (const { name, kind, state, size_bytes: sizeBytes } of models) {
      const args = { name, kind, state, sizeBytes };
      menu.addItem({ command: CommandIds.chooseModel, args });
    }
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIds.openSettings });
  }
}
