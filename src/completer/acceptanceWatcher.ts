import type { CommandRegistry } from '@lumino/commands';
import type { IDisposable } from '@lumino/disposable';

import type { NotebookModel } from '../model/notebookModel';
import type { IOffered } from './inlineProvider';

/** JupyterLab's own command that takes ghost text, by key or by button. */
const ACCEPT = 'inline-completer:accept';

/**
 * Notes when the user takes ghost text of ours. The completer has no signal for that, so its commands are watched.
 */
export class AcceptanceWatcher implements IDisposable {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _model: NotebookModel,
    private readonly _offered: () => IOffered | null
  ) {
    _commands.commandExecuted.connect(this._onExecuted, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._commands.commandExecuted.disconnect(this._onExecuted, this);
  }

  private _onExecuted(
    _: CommandRegistry,
    args: CommandRegistry.ICommandExecutedArgs
  ): void {
    const offered = this._offered();
    const view = this._model.nextCell.view;
    const focus = this._model.notebook?.focus;
    if (
      args.id === ACCEPT &&
      offered &&
      view?.id === offered.predictionId &&
      focus?.id === offered.cellId
    ) {
      const { before } = offered;
      this._model.feedback.taken(focus.id, view, before, focus.source);
    }
  }

  private _isDisposed = false;
}
