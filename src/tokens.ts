import { Token } from '@lumino/coreutils';

import type { ThemistoModel } from './model/themistoModel';

/** What the page knows, for the plugins that show it. */
export const IThemistoModel = new Token<ThemistoModel>(
  'themisto-lab:IThemistoModel',
  'The state of Themisto Lab: settings, server, the open notebook and its predictions.'
);

/** The side panel, for the plugins that open it. */
export const IThemistoPanel = new Token<IThemistoPanel>(
  'themisto-lab:IThemistoPanel',
  'The side panel of Themisto Lab.'
);

/** Opens and closes the side panel. */
export interface IThemistoPanel {
  readonly isVisible: boolean;
  show(): void;
  toggle(): void;
}
