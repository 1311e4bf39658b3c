import type { Cell, CodeCellModel } from '@jupyterlab/cells';
import type { IMapChange } from '@jupyter/ydoc';
import {
  type INotebookModel,
  type Notebook,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';

import type {
  ICodeCell,
  INotebook,
  INotebookOptions,
  IRunDone
} from '../model/notebook';
import { METADATA_KEY, readOptions, writeOptions } from './metadata';
import { putBelow, putInPlace } from './placeCell';

/**
 * A notebook panel as the models see it.
 */
export class LabNotebook implements INotebook {
  constructor(readonly panel: NotebookPanel) {
    const { content, context, sessionContext } = panel;
    content.activeCellChanged.connect(this._onActiveCellChanged, this);
    content.stateChanged.connect(this._onFocusChanged, this);
    content.modelChanged.connect(this._onModelChanged, this);
    context.pathChanged.connect(this._onKernelChanged, this);
    sessionContext.kernelChanged.connect(this._onKernelChanged, this);
    sessionContext.connectionStatusChanged.connect(this._onConnection, this);
    NotebookActions.executionScheduled.connect(this._onScheduled, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    this._onModelChanged();
    this._onActiveCellChanged();
  }

  get id(): string {
    return this.panel.id;
  }

  get path(): string {
    return this.panel.context.path;
  }

  get kernelId(): string | null {
    return this.panel.sessionContext.session?.kernel?.id ?? null;
  }

  get language(): string {
    return this._model?.defaultKernelLanguage || 'python';
  }

  get focus(): ICodeCell | null {
    const cell = this.panel.content.activeCell?.model;
    return cell && isCode(cell)
      ? {
          id: cell.id,
          source: cell.sharedModel.getSource(),
          executionCount: cell.executionCount
        }
      : null;
  }

  get isEditing(): boolean {
    return this.panel.content.mode === 'edit';
  }

  get cursor(): number | null {
    const editor = this.panel.content.activeCell?.editor;
    return editor ? editor.getOffsetAt(editor.getCursorPosition()) : null;
  }

  get below(): string | null {
    const { widgets, activeCellIndex } = this.panel.content;
    const last = widgets.findIndex(cell => cell.model.id === this._lastRun);
    const start = last >= 0 ? last : activeCellIndex;
    const next = widgets
      .slice(start + 1)
      .find(cell => cell.model.type === 'code');
    return next?.model.sharedModel.getSource() ?? null;
  }

  get options(): INotebookOptions {
    return readOptions(this._model);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get kernelChanged(): ISignal<this, void> {
    return this._kernelChanged;
  }

  get focusChanged(): ISignal<this, void> {
    return this._focusChanged;
  }

  get optionsChanged(): ISignal<this, void> {
    return this._optionsChanged;
  }

  get runScheduled(): ISignal<this, string> {
    return this._runScheduled;
  }

  get runDone(): ISignal<this, IRunDone> {
    return this._runDone;
  }

  setOptions(options: INotebookOptions): void {
    if (this._model) {
      writeOptions(this._model, options);
    }
  }

  executionCountOf(cellId: string): number | null {
    const cell = this._find(cellId)?.model;
    return cell && isCode(cell) ? cell.executionCount : null;
  }

  sourceOf(cellId: string): string | null {
    return this._find(cellId)?.model.sharedModel.getSource() ?? null;
  }

  insertBelow(text: string): string | null {
    return putBelow(this.panel.content, text);
  }

  replace(text: string): string | null {
    return putInPlace(this.panel.content, text);
  }

  type(text: string): void {
    this.panel.content.activeCell?.editor?.replaceSelection?.(text);
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      Signal.disconnectReceiver(this);
      Signal.clearData(this);
    }
  }

  private get _model(): INotebookModel | null {
    return this.panel.content.model;
  }

  private _find(cellId: string): Cell | undefined {
    return this.panel.content.widgets.find(cell => cell.model.id === cellId);
  }

  private _onModelChanged(): void {
    this._followed?.metadataChanged.disconnect(this._onMetadataChanged, this);
    this._followed = this._model;
    this._followed?.metadataChanged.connect(this._onMetadataChanged, this);
    this._optionsChanged.emit();
  }

  private _onMetadataChanged(_: INotebookModel, change: IMapChange): void {
    if (change.key === METADATA_KEY) {
      this._optionsChanged.emit();
    }
  }

  private _onActiveCellChanged(): void {
    this._cell?.model?.contentChanged.disconnect(this._onFocusChanged, this);
    this._cell = this.panel.content.activeCell;
    this._cell?.model.contentChanged.connect(this._onFocusChanged, this);
    this._focusChanged.emit();
  }

  private _onFocusChanged(): void {
    this._focusChanged.emit();
  }

  private _onKernelChanged(): void {
    this._kernelChanged.emit();
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status === 'connected') {
      this._kernelChanged.emit();
    }
  }

  private _onScheduled(
    _: unknown,
    { notebook, cell }: { notebook: Notebook; cell: Cell }
  ): void {
    if (notebook === this.panel.content && cell.model.type === 'code') {
      this._runScheduled.emit(cell.model.id);
    }
  }

  private _onExecuted(
    _: unknown,
    args: { notebook: Notebook; cell: Cell; success: boolean }
  ): void {
    const { notebook, cell, success } = args;
    if (notebook === this.panel.content && cell.model.type === 'code') {
      this._lastRun = cell.model.id;
      this._runDone.emit({ cellId: cell.model.id, success });
    }
  }

  private readonly _kernelChanged = new Signal<this, void>(this);
  private readonly _focusChanged = new Signal<this, void>(this);
  private readonly _optionsChanged = new Signal<this, void>(this);
  private readonly _runScheduled = new Signal<this, string>(this);
  private readonly _runDone = new Signal<this, IRunDone>(this);
  private _cell: Cell | null = null;
  private _followed: INotebookModel | null = null;
  private _lastRun: string | null = null;
  private _isDisposed = false;
}

function isCode(model: Cell['model']): model is CodeCellModel {
  return model.type === 'code';
}
