import React, { useEffect, useState } from 'react';

import type { ProbeReceipt, SentView } from '../api/generated';
import { formatCount } from '../model/format';
import { usePanel } from './context';
import { Notice, Trouble } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

type Which = 'next_cell' | 'output';

/** Exactly what the model was sent for a prediction that is shown. */
export function SentSection(): React.ReactElement {
  return <Section title="Sent">{() => <Content />}</Section>;
}

function Content(): React.ReactElement {
  const { model } = usePanel();
  const { sent, notebook } = model;
  useObservable(model, sent);
  const [which, setWhich] = useState<Which>('next_cell');
  const view =
    which === 'next_cell'
      ? notebook.nextCell.visible
      : (notebook.visibleOutput ?? notebook.kernel.view?.last_output ?? null);
  const id = view?.id ?? null;
  const status = view?.status ?? '';
  useEffect(() => {
    void sent.want(id, status);
  }, [sent, id, status]);

  return (
    <>
      <div className="themisto-Choice" role="group" aria-label="Prediction">
        {(['next_cell', 'output'] as const).map(choice => (
          <button
            key={choice}
            className="themisto-Link"
            aria-pressed={which === choice}
            onClick={() => setWhich(choice)}
          >
            {choice === 'next_cell' ? 'Next cell' : 'Output'}
          </button>
        ))}
      </div>
      {sent.error ? <Trouble error={sent.error} /> : <Sent sent={sent.value} />}
    </>
  );
}

/** What a look at the kernel cost there, and how many values it knows by their type alone. */
function receiptWords([what, receipt]: [string, ProbeReceipt]): string {
  const byType = Object.values(receipt.skipped).reduce((sum, n) => sum + n, 0);
  const name = what === 'look' ? 'closer look' : 'state';
  return (
    `${name} read in ${receipt.cost_ms.toFixed(1)} ms` +
    (byType > 0 ? ` (${formatCount(byType, 'value')} by type alone)` : '')
  );
}

function Sent(props: { sent: SentView | null }): React.ReactElement {
  const { sent } = props;
  if (!sent) {
    return (
      <Notice>What the model is sent for a prediction is shown here.</Notice>
    );
  }
  const dropped = Object.entries(sent.dropped).map(
    ([what, count]) => `${count} ${what} left out`
  );
  const byPart = Object.entries(sent.parts)
    .map(([part, count]) => `${part} ${count}`)
    .join(', ');
  const facts = [
    sent.n_tokens > 0 &&
      formatCount(sent.n_tokens, 'token') + (byPart && ` (${byPart})`),
    ...dropped,
    sent.redactions > 0 && formatCount(sent.redactions, 'secret') + ' blanked',
    sent.usage &&
      sent.usage.cached_tokens > 0 &&
      `${sent.usage.cached_tokens} tokens reused`,
    ...Object.entries(sent.receipts).map(receiptWords),
    sent.cost !== null && sent.cost > 0 && `${sent.cost.toFixed(4)} $`
  ];
  const parts =
    sent.prompt !== null
      ? [{ role: 'prompt', content: sent.prompt }]
      : sent.messages;
  if (parts.length === 0) {
    return <Notice>Nothing was sent: this one needs no model.</Notice>;
  }
  return (
    <>
      <div className="themisto-Reason">{facts.filter(Boolean).join(' · ')}</div>
      {parts.map((part, index) => (
        <React.Fragment key={index}>
          {sent.prompt === null && (
            <div className="themisto-Sent-role">{part.role}</div>
          )}
          <pre
            className="themisto-Text"
            aria-label={`Sent: ${part.role}`}
            tabIndex={0}
          >
            {part.content}
          </pre>
        </React.Fragment>
      ))}
    </>
  );
}
