import type { CommandRegistry } from '@lumino/commands';
import type { IDisposable } from '@lumino/disposable';

import { CommandIds } from '../commandIds';
import { classifyAcceptance } from '../model/acceptance';
import type { NotebookModel } from '../model/notebookModel';
import type { IOffered } from './inlineProvider';

/** The commands that take ghost text: JupyterLab's own, and ours for a part of it. */
const ACCEPTING: ReadonlySet<string> = new Set([
  'inline-completer:accept',
  CommandIds.acceptWord,
  CommandIds.acceptLine
]);

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
    if (!ACCEPTING.has(args.id) || !offered) {
      return;
    }
    const focus = this._model.notebook?.focus;
    if (focus?.id !== offered.cellId || view?.id !== offered.predictionId) {
      return;
    }
    const taken = classifyAcceptance(
      view.text,
      view.status !== 'running',
      this._before.get(args.id) ?? offered.before,
      focus.source
    );
    if (taken) {
      const { action, characters } = taken;
      this._model.feedback.report(view.id, action, {
        surface: 'ghost',
        characters
      });
      if (action === 'accepted') {
        this._model.feedback.placed(focus.id, view, view.text);
      }
    }
  }

  private _isDisposed = false;
}
