import { YNotebook } from '@jupyter/ydoc';
import type { Notebook } from '@jupyterlab/notebook';

import { putBelow, putInPlace } from '../placeCell';

/** As much of the notebook's widget as is used, over a real shared notebook with its real undo. */
class FakeWidget {
  constructor(...sources: string[]) {
    for (const source of sources) {
      this.shared.addCell({ cell_type: 'code', source });
    }
    this.shared.clearUndoHistory();
  }

  readonly shared = new YNotebook();
  activeCellIndex = 0;
  mode = 'edit';
  isActive = false;

  get model(): object {
    return { sharedModel: this.shared, readOnly: this.isReadOnly };
  }

  get activeCell(): object | null {
    const sharedModel = this.shared.cells[this.activeCellIndex];
    return sharedModel
      ? { model: { type: sharedModel.cell_type, sharedModel } }
      : null;
  }

  deselectAll(): void {
    this.isSelected = false;
  }

  activate(): void {
    this.isActive = true;
  }

  async scrollToItem(): Promise<void> {
    this.isScrolled = true;
  }

  get sources(): string[] {
    return this.shared.cells.map(cell => cell.getSource());
  }

  get widget(): Notebook {
    return this as unknown as Notebook;
  }

  isReadOnly = false;
  isSelected = true;
  isScrolled = false;
}

// The shared notebook reads a new cell before it is part of the document, and Yjs has a word to say about that.
beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => jest.restoreAllMocks());

describe('putBelow', () => {
  it('puts a cell below the active one, selects it and does not run it', () => {
    const fake = new FakeWidget('a', 'b');
    const id = putBelow(fake.widget, 'new');
    expect(fake.sources).toEqual(['a', 'new', 'b']);
    expect(fake.activeCellIndex).toBe(1);
    expect(fake.mode).toBe('command');
    const cell = fake.shared.cells[1];
    expect(cell.id).toBe(id);
    expect(cell.toJSON()).toMatchObject({ execution_count: null, outputs: [] });
  });

  it('is taken back by one undo, and nothing else is', () => {
    const fake = new FakeWidget('a');
    fake.shared.insertCell(1, { cell_type: 'code', source: 'typed before' });
    putBelow(fake.widget, 'new');
    fake.shared.undo();
    expect(fake.sources).toEqual(['a', 'typed before']);
    fake.shared.redo();
    expect(fake.sources).toEqual(['a', 'new', 'typed before']);
  });

  it('fills an empty cell rather than leave it behind', () => {
    const fake = new FakeWidget('a', ' \n');
    fake.activeCellIndex = 1;
    putBelow(fake.widget, 'new');
    expect(fake.sources).toEqual(['a', 'new']);
    fake.shared.undo();
    expect(fake.sources).toEqual(['a', ' \n']);
  });

  it('changes nothing in a notebook that is read only', () => {
    const fake = new FakeWidget('a');
    fake.isReadOnly = true;
    expect(putBelow(fake.widget, 'new')).toBeNull();
    expect(fake.sources).toEqual(['a']);
  });

  it('puts text that looks like markup in as text', () => {
    const fake = new FakeWidget('a');
    const text = '<img src=x onerror=alert(1)>\n# %% [2]';
    putBelow(fake.widget, text);
    expect(fake.sources[1]).toBe(text);
  });
});

describe('putInPlace', () => {
  it('replaces the active cell, keeps its metadata, and is taken back by one undo', () => {
    const fake = new FakeWidget('a', 'b');
    fake.shared.cells[0].setMetadata('tags', ['x']);
    fake.shared.clearUndoHistory();
    putInPlace(fake.widget, 'new');
    expect(fake.sources).toEqual(['new', 'b']);
    expect(fake.shared.cells[0].getMetadata('tags')).toEqual(['x']);
    fake.shared.undo();
    expect(fake.sources).toEqual(['a', 'b']);
    expect(fake.shared.cells[0].getMetadata('tags')).toEqual(['x']);
  });

  it('leaves a cell alone that holds no code', () => {
    const fake = new FakeWidget();
    fake.shared.addCell({ cell_type: 'markdown', source: 'text' });
    expect(putInPlace(fake.widget, 'new')).toBeNull();
    expect(fake.sources).toEqual(['text']);
  });
});
