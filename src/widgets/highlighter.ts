import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';

import type { Highlighter } from './context';

/** Make a highlighter of JupyterLab's languages. It writes text nodes only, so that code stays text. */
export function highlighter(languages: IEditorLanguageRegistry): Highlighter {
  return (code, language, element) =>
    languages.highlight(code, languages.findBest(language), element);
}
