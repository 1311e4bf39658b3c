import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

/**
 * A model that tells when it changed. What a view shows is read from it anew each time.
 */
export abstract class Observable implements IDisposable {
  get changed(): ISignal<Observable, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      Signal.clearData(this);
    }
  }

  protected emitChanged(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private readonly _changed = new Signal<Observable, void>(this);
  private _isDisposed = false;
}
