import React, { useEffect } from 'react';

import type { PredictionView } from '../api/generated';
import { CommandIds } from '../commandIds';
import { formatSeconds } from '../model/format';
import { cameTrue } from '../model/lineDiff';
import type { ThemistoModel } from '../model/themistoModel';
import { CodeBlock } from './codeBlock';
import { usePanel } from './context';
import { DifferenceView } from './differenceView';
import { Notice, Trouble } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

const PREDICT = {
  label: 'Predict now',
  command: CommandIds.predictNextCell
} as const;

/** The cell that is likely to be run next. */
export function NextCellSection(): React.ReactElement {
  const { model } = usePanel();
  useObservable(model);
  const { isOn, nextCell } = model.notebook;
  const latency = isOn ? nextCell.visible?.latency_s : null;
  return (
    <Section
      title="Next cell"
      isOpenAtFirst={true}
      aside={typeof latency === 'number' ? formatSeconds(latency) : null}
    >
      {() => (
        <>
          <Content />
          <LastCell />
        </>
      )}
    </Section>
  );
}

function Content(): React.ReactElement {
  const { model } = usePanel();
  const { isOn, nextCell } = model.notebook;
  const view = isOn ? nextCell.visible : null;
  if (view && (view.text || nextCell.isRunning)) {
    return <Suggestion view={view} isRunning={nextCell.isRunning} />;
  }
  const error = view?.error ?? nextCell.error?.view;
  return isOn && error ? <Trouble error={error} /> : emptyState(model);
}

/** What to do where there is nothing to show. */
function emptyState(model: ThemistoModel): React.ReactElement {
  const { notebook, settings } = model;
  if (!settings.view.enabled) {
    const action = { label: 'Settings', command: CommandIds.openSettings };
    return <Notice action={action}>Themisto Lab is off.</Notice>;
  }
  if (!notebook.notebook) {
    return (
      <Notice>
        Open a notebook and run a cell: the next one is predicted here.
      </Notice>
    );
  }
  if (!notebook.isOn) {
    const action = { label: 'Resume', command: CommandIds.toggleNotebook };
    return <Notice action={action}>Paused for this notebook.</Notice>;
  }
  if (!notebook.kernel.view?.n_steps) {
    return <Notice>Run a cell and the next one is predicted here.</Notice>;
  }
  if (notebook.nextCell.isRunning) {
    return <Notice>Thinking.</Notice>;
  }
  if (notebook.nextCell.visible?.status === 'ready') {
    return <Notice action={PREDICT}>Nothing to suggest this time.</Notice>;
  }
  return settings.view.next_cell === 'run_end' ? (
    <Notice action={PREDICT}>The next suggestion comes when a run ends.</Notice>
  ) : (
    <Notice action={PREDICT}>The next cell is predicted when you ask.</Notice>
  );
}

function Suggestion(props: {
  view: PredictionView;
  isRunning: boolean;
}): React.ReactElement {
  const { view, isRunning } = props;
  const { model, commands } = usePanel();
  const { notebook } = model;
  useEffect(() => {
    if (view.text && !isRunning) {
      notebook.feedback.seen(view, 'sidebar');
    }
  }, [notebook, view, isRunning]);

  const button = (
    label: string,
    command: string,
    isPrimary = false
  ): React.ReactElement => (
    <button
      className={isPrimary ? 'themisto-Button' : 'themisto-Link'}
      disabled={!commands.isEnabled(command)}
      onClick={() => void commands.execute(command)}
    >
      {label}
    </button>
  );
  return (
    <>
      <CodeBlock
        code={view.text}
        language={notebook.notebook?.language ?? 'python'}
        label="Predicted next cell"
        isGrowing={isRunning}
      />
      <div className="themisto-Actions">
        {button('Insert below', CommandIds.insertBelow, true)}
        {button('Replace', CommandIds.replace)}
        {button('Copy', CommandIds.copy)}
        {button('Dismiss', CommandIds.dismiss)}
      </div>
      <div className="themisto-Reason">
        {isRunning ? 'thinking' : reasonOf(view)}
      </div>
    </>
  );
}

/** The prediction before, beside what was run instead. */
function LastCell(): React.ReactElement | null {
  const { model } = usePanel();
  const last = model.notebook.kernel.view?.last_next_cell;
  if (!last?.text || last.truth === null || last.status !== 'scored') {
    return null;
  }
  const verdict = cameTrue(last.text, last.truth) ? 'as predicted' : 'differs';
  return (
    <details className="themisto-Last" key={last.id}>
      <summary>
        {'The one before: '}
        <span data-verdict={verdict}>{verdict}</span>
      </summary>
      <DifferenceView predicted={last.text} actual={last.truth} />
    </details>
  );
}

/** Why this one, in words. */
export function reasonOf(view: PredictionView): string {
  return [view.source, view.reason].filter(Boolean).join(' · ');
}
