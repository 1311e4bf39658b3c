import React, { useEffect } from 'react';

import type { PredictionView } from '../api/generated';
import { CommandIds } from '../commandIds';
import { formatSeconds } from '../model/format';
import { cameTrue } from '../model/lineDiff';
import type { NotebookModel } from '../model/notebookModel';
import type { ThemistoModel } from '../model/themistoModel';
import { usePanel } from './context';
import { DifferenceView } from './differenceView';
import { reasonOf } from './nextCellSection';
import { Notice, Trouble } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

/** What the cell in focus will print, and what the last one really printed. */
export function OutputSection(): React.ReactElement {
  const { model } = usePanel();
  useObservable(model);
  const { notebook } = model;
  const view = notebook.visibleOutput;
  const cellId = view?.cell_id ?? notebook.notebook?.focus?.id ?? null;
  const latency = view?.latency_s;
  return (
    <Section
      title={cellId ? `Output of ${cellName(notebook, cellId)}` : 'Output'}
      isOpenAtFirst={true}
      aside={typeof latency === 'number' ? formatSeconds(latency) : null}
    >
      {() => (
        <>
          <Forecast />
          <LastRun />
        </>
      )}
    </Section>
  );
}

function Forecast(): React.ReactElement {
  const { model } = usePanel();
  const { notebook } = model;
  const view = notebook.visibleOutput;
  const isRunning = notebook.output.isRunning;
  const isShown = view !== null && (view.text !== '' || !isRunning);
  useEffect(() => {
    if (view && isShown && !isRunning && !view.error) {
      notebook.feedback.seen(view, 'sidebar');
    }
  }, [notebook, view, isShown, isRunning]);

  const error = view?.error ?? notebook.output.error?.view;
  if (error && !isRunning) {
    return <Trouble error={error} />;
  }
  if (isRunning && !view?.text) {
    return <Notice>Thinking.</Notice>;
  }
  if (!view || !isShown) {
    return emptyState(model);
  }
  return (
    <>
      {view.text ? (
        <pre
          className="themisto-Output"
          aria-label="Forecast of the output"
          aria-busy={isRunning}
          tabIndex={0}
        >
          {view.text}
        </pre>
      ) : (
        <Notice>It prints nothing.</Notice>
      )}
      <div className="themisto-Reason">
        {isRunning ? 'thinking' : reasonOf(view)}
      </div>
    </>
  );
}

/** What to do where there is no forecast. */
function emptyState(model: ThemistoModel): React.ReactElement {
  const { notebook, settings } = model;
  if (!notebook.notebook?.focus) {
    return <Notice>Go to a code cell and its output is predicted here.</Notice>;
  }
  if (!notebook.isOn) {
    return <Notice>Nothing is predicted while it is off.</Notice>;
  }
  const action = { label: 'Predict now', command: CommandIds.predictOutput };
  return settings.view.output === 'pause' ? (
    <Notice>Pause in a cell and its output is predicted here.</Notice>
  ) : (
    <Notice action={action}>The output is predicted when you ask.</Notice>
  );
}

/** The last forecast that was run, beside the truth. */
function LastRun(): React.ReactElement | null {
  const { model } = usePanel();
  const { notebook } = model;
  const last = notebook.kernel.view?.last_output;
  if (!last || last.truth === null) {
    return null;
  }
  const name = cellName(notebook, last.cell_id);
  const verdict = verdictOf(last);
  return (
    <details
      className="themisto-Last"
      open={verdict === 'differs'}
      key={last.id}
    >
      <summary>
        {`${name[0]?.toUpperCase()}${name.slice(1)}: `}
        <span data-verdict={verdict}>{verdict}</span>
      </summary>
      {verdict === 'as predicted' ? (
        <pre className="themisto-Output" tabIndex={0}>
          {last.truth || '(no output)'}
        </pre>
      ) : (
        <DifferenceView predicted={last.text} actual={last.truth} />
      )}
    </details>
  );
}

/** How a forecast came out, in words. */
function verdictOf(view: PredictionView): string {
  if (view.status === 'missed') {
    return 'run before the forecast was ready';
  }
  if (view.status === 'stale') {
    return 'edited after the forecast';
  }
  return cameTrue(view.text, view.truth ?? '') ? 'as predicted' : 'differs';
}

function cellName(notebook: NotebookModel, cellId: string | null): string {
  const count = cellId && notebook.notebook?.executionCountOf(cellId);
  return `cell [${count || ' '}]`;
}
