import { Widget } from '@lumino/widgets';

import type { NotebookModel } from '../model/notebookModel';

/**
 * Tells a screen reader that there is a suggestion: politely, and once for each step at most.
 *
 * It stands in the page by itself, so that it is heard with the side panel closed.
 */
export class Announcer extends Widget {
  constructor(private readonly _model: NotebookModel) {
    super();
    this.id = 'themisto-lab-announcer';
    this.addClass('themisto-Hidden');
    this.node.setAttribute('role', 'status');
    this.node.setAttribute('aria-live', 'polite');
    _model.changed.connect(this._onChanged, this);
  }

  override dispose(): void {
    this._model.changed.disconnect(this._onChanged, this);
    super.dispose();
  }

  private _onChanged(): void {
    const offer = this._model.offer;
    if (!offer) {
      this.node.textContent = '';
      return;
    }
    const step = `${offer.trajectory_id} ${offer.target_index}`;
    if (offer.status === 'ready' && offer.text && step !== this._announced) {
      this._announced = step;
      this.node.textContent = 'Suggestion ready';
    }
  }

  private _announced = '';
}
