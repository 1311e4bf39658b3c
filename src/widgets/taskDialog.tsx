import { Dialog, showDialog } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

/** The body of the dialog: a text of several lines. */
class TaskBody extends ReactWidget implements Dialog.IBodyWidget<string> {
  constructor(
    private _text: string,
    private readonly _maxLength: number
  ) {
    super();
    this.addClass('themisto-Dialog');
  }

  getValue(): string {
    return this._text.trim();
  }

  protected override render(): React.ReactElement {
    return (
      <label className="themisto-Dialog-field">
        What this notebook is for. The model is told so, and the notebook keeps
        it in its metadata.
        <textarea
          className="jp-mod-styled"
          rows={6}
          defaultValue={this._text}
          maxLength={this._maxLength}
          onChange={event => {
            this._text = event.target.value;
          }}
        />
      </label>
    );
  }
}

/**
 * Ask for the description of a notebook's task.
 *
 * @returns The text; null where the user gave up.
 */
export async function askForTask(
  text: string,
  maxLength: number
): Promise<string | null> {
  const result = await showDialog({
    title: 'Describe the task',
    body: new TaskBody(text, maxLength),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Save' })]
  });
  return result.button.accept ? result.value : null;
}
