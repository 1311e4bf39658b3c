import type { CommandRegistry } from '@lumino/commands';
import { createContext, useContext } from 'react';

import type { ThemistoModel } from '../model/themistoModel';

/** Writes code into an element, coloured. */
export type Highlighter = (
  code: string,
  language: string,
  element: HTMLElement
) => Promise<void>;

/** What every part of the sidebar has at hand. */
export interface IPanelContext {
  model: ThemistoModel;
  commands: CommandRegistry;
  highlight: Highlighter;
  /** Open the menu of the three dots, or that of the models, at an element. */
  openMenu: (menu: 'more' | 'models', anchor: HTMLElement) => void;
}

export const PanelContext = createContext<IPanelContext | null>(null);

/** The context of the panel around a component. */
export function usePanel(): IPanelContext {
  const context = useContext(PanelContext);
  if (!context) {
    throw new Error('This component is drawn outside of the panel.');
  }
  return context;
}
