import { remainder } from '../model/ghostText';
import type { NotebookModel } from '../model/notebookModel';

/**
 * Take a part of the suggestion into the cell that is being edited.
 *
 * @param model What is predicted, and the notebook.
 * @param partOf Chooses how much of the rest is taken.
 * @returns Whether there was something to take.
 */
export function acceptPart(
  model: NotebookModel,
  partOf: (rest: string) => string
): boolean {
  const { notebook, offer } = model;
  const focus = notebook?.focus;
  const cursor = notebook?.cursor ?? null;
  if (!offer || !focus || cursor === null) {
    return false;
  }
  const rest = remainder(offer.text, focus.source, cursor);
  if (!rest) {
    return false;
  }
  notebook.type(partOf(rest));
  const after = notebook.focus?.source ?? '';
  model.feedback.taken(focus.id, offer, focus.source, after);
  return true;
}
