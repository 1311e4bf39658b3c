import { Dialog, showDialog } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import React, { useEffect, useState } from 'react';

import type { ForgetRequest, ForgetView } from '../api/generated';
import { toApiError } from '../api/apiError';
import { fileName, formatCount } from '../model/format';

/** Counts what a request would erase, or erases it. */
type Forget = (request: ForgetRequest) => Promise<ForgetView>;

type Scope = 'notebook' | 'before' | 'everything';

/** The body of the dialog: what to erase, and how much that is. */
class ForgetBody extends ReactWidget {
  constructor(
    private readonly _notebook: string | null,
    private readonly _forget: Forget
  ) {
    super();
    this.addClass('themisto-Dialog');
  }

  /** What is chosen; null where the choice is not complete. */
  request: ForgetRequest | null = null;

  protected override render(): React.ReactElement {
    return (
      <ForgetForm
        notebook={this._notebook}
        count={request => this._forget({ ...request, dry_run: true })}
        onChoice={request => {
          this.request = request;
        }}
      />
    );
  }
}

function ForgetForm(props: {
  notebook: string | null;
  count: Forget;
  onChoice: (request: ForgetRequest | null) => void;
}): React.ReactElement {
  const { notebook, count, onChoice } = props;
  const [scope, setScope] = useState<Scope>(notebook ? 'notebook' : 'before');
  const [date, setDate] = useState(today());
  const [result, setResult] = useState('Counting.');

  useEffect(() => {
    const request = requestOf(scope, date, notebook);
    let isLatest = true;
    onChoice(request);
    setResult(request ? 'Counting.' : 'Choose a date.');
    if (request) {
      count(request)
        .then(describe, (error: unknown) => toApiError(error).message)
        .then(text => isLatest && setResult(text))
        .catch(() => undefined);
    }
    return () => {
      isLatest = false;
    };
    // The two functions are made anew with each drawing; what they do does not change.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [scope, date, notebook]);

  const option = (value: Scope, label: React.ReactNode): React.ReactElement => (
    <label className="themisto-Dialog-option">
      <input
        type="radio"
        name="themisto-forget"
        checked={scope === value}
        onChange={() => setScope(value)}
      />
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset className="themisto-Dialog-field">
      <legend>What is recorded here is erased for good.</legend>
      {notebook && option('notebook', `this notebook: ${fileName(notebook)}`)}
      {option(
        'before',
        <>
          all before{' '}
          <input
            type="date"
            className="jp-mod-styled"
            aria-label="Date"
            value={date}
            max={today()}
            onChange={event => {
              setDate(event.target.value);
              setScope('before');
            }}
          />
        </>
      )}
      {option('everything', 'everything')}
      <div role="status">{result}</div>
    </fieldset>
  );
}

/** The current day in the user's own time, as a date field writes it. */
function today(): string {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}

/** What a choice asks the server to erase. */
export function requestOf(
  scope: Scope,
  date: string,
  notebook: string | null
): ForgetRequest | null {
  switch (scope) {
    case 'notebook':
      return notebook ? { notebook } : null;
    case 'before':
      // A day begins at midnight where the user is.
      return date ? { before: new Date(`${date}T00:00`).toISOString() } : null;
    case 'everything':
      return { everything: true };
  }
}

function describe(view: ForgetView): string {
  return [
    formatCount(view.n_steps, 'step'),
    formatCount(view.n_predictions, 'prediction'),
    `${formatCount(view.n_trajectories, 'kernel session')}.`
  ].join(', ');
}

/**
 * Ask what to erase, and erase it.
 *
 * @returns What was erased, in words; null where the user gave up.
 */
export async function askToForget(
  notebook: string | null,
  forget: Forget
): Promise<string | null> {
  const body = new ForgetBody(notebook, forget);
  const result = await showDialog({
    title: 'Forget',
    body,
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: 'Forget' })],
    defaultButton: 0
  });
  if (!result.button.accept || !body.request) {
    return null;
  }
  return `Erased: ${describe(await forget(body.request))}`;
}
