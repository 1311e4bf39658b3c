import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { Notebook } from '@jupyterlab/notebook';

/** As much of the notebook's undo manager as is needed here. */
interface IUndoBoundary {
  undoManager?: { stopCapturing(): void };
}

/**
 * Put a code cell below the one in focus, or into it if that is empty, and select it without running it.
 *
 * @returns The cell's id; null where the notebook can't be changed.
 */
export function putBelow(notebook: Notebook, text: string): string | null {
  const active = notebook.activeCell?.model;
  const isEmpty =
    active?.type === 'code' && !active.sharedModel.getSource().trim();
  return isEmpty
    ? putInPlace(notebook, text)
    : change(notebook, notebook.activeCellIndex + 1, false, text);
}

/**
 * Put a code cell in place of the one in focus and select it without running it. Its metadata stay.
 *
 * @returns The new cell's id; null where the one in focus is not a code cell or the notebook can't be changed.
 */
export function putInPlace(notebook: Notebook, text: string): string | null {
  return notebook.activeCell?.model.type === 'code'
    ? change(notebook, notebook.activeCellIndex, true, text)
    : null;
}

/** Change the list of cells in one transaction, so that one undo of the notebook takes it back. */
function change(
  notebook: Notebook,
  index: number,
  isReplacing: boolean,
  text: string
): string | null {
  const shared = notebook.model?.sharedModel;
  if (!shared || notebook.model?.readOnly) {
    return null;
  }
  // A cell that is deleted tells nothing any more.
  const metadata = isReplacing ? shared.getCell(index).getMetadata() : {};
  // Otherwise the undo would also take back what was done just before.
  (shared as IUndoBoundary).undoManager?.stopCapturing();
  let id: string | null = null;
  shared.transact(() => {
    if (isReplacing) {
      shared.deleteCell(index);
    }
    const cell = shared.insertCell(index, {
      cell_type: 'code',
      source: text,
      metadata: { ...metadata, trusted: true }
    }) as ISharedCodeCell;
    id = cell.id;
  });
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  notebook.mode = 'command';
  notebook.activate();
  void notebook.scrollToItem(index, 'smart');
  return id;
}
