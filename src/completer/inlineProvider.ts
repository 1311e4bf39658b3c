import type {
  CompletionHandler,
  IInlineCompletionContext,
  IInlineCompletionItem,
  IInlineCompletionList,
  IInlineCompletionProvider
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import type { LabIcon } from '@jupyterlab/ui-components';

import { remainder } from '../model/ghostText';
import type { NotebookModel } from '../model/notebookModel';
import { nextChange } from '../model/nextChange';

/** The id that marks the ghost text as ours. */
export const PROVIDER_ID = 'themisto-lab';

/** What was offered last, and where. */
export interface IOffered {
  predictionId: string;
  cellId: string;
  /** The cell's text when it was offered. */
  before: string;
}

/**
 * Offers the predicted next cell as ghost text. It never asks a model: it only shows what is there already.
 */
export class InlineProvider implements IInlineCompletionProvider {
  constructor(
    private readonly _model: NotebookModel,
    readonly icon?: LabIcon.ILabIcon
  ) {}

  readonly identifier = PROVIDER_ID;
  readonly name = 'Themisto Lab';

  /** What was offered last. */
  get offered(): IOffered | null {
    return this._offered;
  }

  async fetch(
    request: CompletionHandler.IRequest,
    context: IInlineCompletionContext
  ): Promise<IInlineCompletionList> {
    const { notebook, offer } = this._model;
    const focus = notebook?.focus;
    if (
      !offer ||
      !focus ||
      context.widget.id !== notebook.id ||
      focus.source !== request.text
    ) {
      return { items: [] };
    }
    const { text, offset } = request;
    const cursor = Text.charIndexToJsIndex(offset, text);
    const insertText = remainder(offer.text, text, cursor);
    if (!insertText) {
      return { items: [] };
    }
    this._offered = {
      predictionId: offer.id,
      cellId: focus.id,
      before: text
    };
    this._cursor = cursor;
    this._model.feedback.seen(offer, 'ghost');
    const isIncomplete = offer.status === 'running';
    return {
      items: [
        isIncomplete
          ? { insertText, isIncomplete, token: offer.id }
          : { insertText }
      ]
    };
  }

  /** Give the rest of a text as it grows, for as long as the cell stays as it was. */
  async *stream(
    token: string
  ): AsyncGenerator<{ response: IInlineCompletionItem }> {
    const offered = this._offered;
    const cursor = this._cursor;
    if (offered?.predictionId !== token) {
      return;
    }
    let last = '';
    for (;;) {
      const { notebook, offer } = this._model;
      const focus = notebook?.focus;
      const isCurrent =
        offer?.id === token &&
        focus?.id === offered.cellId &&
        focus.source === offered.before;
      if (!isCurrent) {
        return;
      }
      const insertText = remainder(offer.text, offered.before, cursor);
      const isIncomplete = offer.status === 'running';
      if (insertText && (insertText !== last || !isIncomplete)) {
        last = insertText;
        yield { response: { insertText, isIncomplete } };
      }
      if (!isIncomplete) {
        return;
      }
      await nextChange(this._model);
    }
  }

  private _offered: IOffered | null = null;
  private _cursor = 0;
}
