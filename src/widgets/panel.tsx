import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

import { type IPanelContext, PanelContext } from './context';
import { themistoIcon } from './icon';
import { Sidebar } from './sidebar';

/** The id of the side panel. */
export const PANEL_ID = 'themisto-lab-panel';

/**
 * The side panel.
 */
export class ThemistoPanel extends ReactWidget {
  constructor(private readonly _context: IPanelContext) {
    super();
    this.id = PANEL_ID;
    this.addClass('themisto-Panel');
    this.title.icon = themistoIcon;
    this.title.caption = 'Themisto Lab: next cell and output';
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Themisto Lab');
  }

  protected override render(): React.ReactElement {
    return (
      <PanelContext.Provider value={this._context}>
        <Sidebar />
      </PanelContext.Provider>
    );
  }
}
