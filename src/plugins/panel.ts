import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  type IEditorLanguageRegistry as Registry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { Widget } from '@lumino/widgets';

import type { Side } from '../model/settingsModel';
import { IThemistoModel, IThemistoPanel } from '../tokens';
import type { ThemistoModel } from '../model/themistoModel';
import { Announcer } from '../widgets/announcer';
import { highlighter } from '../widgets/highlighter';
import { MenuOpener } from '../widgets/menuOpener';
import { PANEL_ID, ThemistoPanel } from '../widgets/panel';

/** Among the other panels of its side: after the ones that JupyterLab brings. */
const RANK = 900;

/** What the shells of JupyterLab and of Notebook 7 both can, but do not share a type for. */
interface ICollapsibleShell extends JupyterFrontEnd.IShell {
  collapseLeft?(): void;
  collapseRight?(): void;
}

/**
 * Puts the side panel where the user wants it.
 */
export const panelPlugin: JupyterFrontEndPlugin<IThemistoPanel> = {
  id: 'themisto-lab:panel',
  description: 'The side panel of Themisto Lab.',
  autoStart: true,
  requires: [IThemistoModel, IEditorLanguageRegistry],
  optional: [ILayoutRestorer],
  provides: IThemistoPanel,
  activate: (
    app: JupyterFrontEnd,
    model: ThemistoModel,
    languages: Registry,
    restorer: ILayoutRestorer | null
  ): IThemistoPanel => {
    const menus = new MenuOpener(app.commands, model.server);
    const panel = new ThemistoPanel({
      model,
      commands: app.commands,
      highlight: highlighter(languages),
      openMenu: (menu, anchor) => void menus.open(menu, anchor)
    });
    const shell: ICollapsibleShell = app.shell;
    let side: Side | null = null;
    const place = (): void => {
      if (model.settings.side !== side) {
        side = model.settings.side;
        app.shell.add(panel, side, { rank: RANK });
      }
    };
    place();
    model.settings.changed.connect(place);
    restorer?.add(panel, PANEL_ID);
    Widget.attach(new Announcer(model.notebook), document.body);

    const show = (): void => app.shell.activateById(PANEL_ID);
    return {
      get isVisible() {
        return panel.isVisible;
      },
      show,
      toggle: () => {
        if (!panel.isVisible) {
          show();
        } else if (side === 'left') {
          shell.collapseLeft?.();
        } else {
          shell.collapseRight?.();
        }
      }
    };
  }
};
