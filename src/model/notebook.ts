import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

/** A code cell, as much of it as a prediction needs. */
export interface ICodeCell {
  readonly id: string;
  readonly source: string;
  readonly executionCount: number | null;
}

/** The end of a run. After a failure the kernel drops what was waiting behind it. */
export interface IRunDone {
  readonly cellId: string;
  readonly success: boolean;
}

/** What a notebook's metadata say under the key `themisto`. */
export interface INotebookOptions {
  enabled: boolean;
  task_description: string;
}

/**
 * The open notebook as the models see it: no widgets, so that a test needs none.
 */
export interface INotebook extends IDisposable {
  /** The id of the widget that shows it. */
  readonly id: string;
  readonly path: string;
  readonly kernelId: string | null;
  /** The language that the notebook says it is in. */
  readonly language: string;
  /** The cell in focus; null where that is not a code cell. */
  readonly focus: ICodeCell | null;
  /** Whether the cell in focus is being edited. */
  readonly isEditing: boolean;
  /** Where the cursor is in the cell that is being edited, in UTF-16 units. */
  readonly cursor: number | null;
  /** The source of the code cell that follows the one that ran last. */
  readonly below: string | null;
  readonly options: INotebookOptions;

  setOptions(options: INotebookOptions): void;
  /** The prompt number of a cell that is still there and was run. */
  executionCountOf(cellId: string): number | null;
  /** The source of a cell that is still there. */
  sourceOf(cellId: string): string | null;
  /** Put a code cell below the one in focus and select it; one undo takes it back. */
  insertBelow(text: string): string | null;
  /** Replace the text of the code cell in focus; one undo takes it back. */
  replace(text: string): string | null;
  /** Type a text where the cursor is, as if the user had. */
  type(text: string): void;

  /** Another kernel, a renamed file, or the same kernel connected again. */
  readonly kernelChanged: ISignal<INotebook, void>;
  /** Another cell in focus, or the same with other text. */
  readonly focusChanged: ISignal<INotebook, void>;
  readonly optionsChanged: ISignal<INotebook, void>;
  /** A cell was sent to the kernel from this page. */
  readonly runScheduled: ISignal<INotebook, string>;
  /** A cell that was sent from this page is done. */
  readonly runDone: ISignal<INotebook, IRunDone>;
}
