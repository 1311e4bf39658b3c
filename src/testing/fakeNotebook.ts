import { Signal } from '@lumino/signaling';

import type {
  ICodeCell,
  INotebook,
  INotebookOptions,
  IRunDone
} from '../model/notebook';

/**
 * A notebook without widgets.
 */
export class FakeNotebook implements INotebook {
  readonly id = 'notebook-1';
  path = 'analysis.ipynb';
  kernelId: string | null = 'k';
  language = 'python';
  focus: ICodeCell | null = null;
  isEditing = true;
  cursor: number | null = 0;
  below: string | null = null;
  options: INotebookOptions = { enabled: true, task_description: '' };
  isDisposed = false;
  readonly cells = new Map<string, string>();

  readonly kernelChanged: Signal<INotebook, void> = new Signal(this);
  readonly focusChanged: Signal<INotebook, void> = new Signal(this);
  readonly optionsChanged: Signal<INotebook, void> = new Signal(this);
  readonly runScheduled: Signal<INotebook, string> = new Signal(this);
  readonly runDone: Signal<INotebook, IRunDone> = new Signal(this);

  /** Put the cursor at the end of a cell with this text. */
  goTo(id: string, source: string): void {
    this.cells.set(id, source);
    this.focus = { id, source, executionCount: null };
    this.cursor = source.length;
    this.focusChanged.emit();
  }

  setOptions(options: INotebookOptions): void {
    this.options = options;
    this.optionsChanged.emit();
  }

  executionCountOf(): number | null {
    return null;
  }

  sourceOf(cellId: string): string | null {
    return this.cells.get(cellId) ?? null;
  }

  insertBelow(text: string): string | null {
    this.cells.set('inserted', text);
    return 'inserted';
  }

  replace(text: string): string | null {
    if (!this.focus) {
      return null;
    }
    this.goTo(this.focus.id, text);
    return this.focus.id;
  }

  type(text: string): void {
    if (this.focus) {
      this.goTo(this.focus.id, this.focus.source + text);
    }
  }

  dispose(): void {
    this.isDisposed = true;
  }
}
