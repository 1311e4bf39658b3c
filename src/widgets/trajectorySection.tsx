import React, { useEffect } from 'react';

import type { StepView } from '../api/generated';
import { formatBytes, formatCount, formatSeconds } from '../model/format';
import { usePanel } from './context';
import { Notice, Trouble } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

/** What was run in this kernel, the latest first. */
export function TrajectorySection(): React.ReactElement {
  return <Section title="Trajectory">{() => <Content />}</Section>;
}

function Content(): React.ReactElement {
  const { model } = usePanel();
  const { trajectory } = model;
  const { kernel } = model.notebook;
  useObservable(kernel, trajectory);
  const kernelId = kernel.id;
  const trajectoryId = kernel.view?.trajectory_id ?? '';
  const nSteps = kernel.view?.n_steps ?? 0;
  useEffect(() => {
    void trajectory.want(kernelId, trajectoryId, nSteps);
  }, [trajectory, kernelId, trajectoryId, nSteps]);

  if (trajectory.error) {
    return <Trouble error={trajectory.error} />;
  }
  if (trajectory.steps.length === 0) {
    return <Notice>The cells that you run are listed here.</Notice>;
  }
  return (
    <>
      <ol className="themisto-Steps" reversed={true}>
        {[...trajectory.steps].reverse().map(step => (
          <Step key={step.index} step={step} />
        ))}
      </ol>
      {trajectory.hasEarlier && (
        <button
          className="themisto-Link"
          onClick={() => void trajectory.loadEarlier()}
        >
          {`Show ${formatCount(trajectory.steps[0].index, 'earlier step')}`}
        </button>
      )}
    </>
  );
}

function Step(props: { step: StepView }): React.ReactElement {
  const { step } = props;
  const firstLine = step.code.trim().split('\n')[0];
  const facts = [
    formatSeconds(step.execution_time_s),
    step.memory_bytes !== null && formatBytes(step.memory_bytes),
    step.status !== 'ok' && step.status
  ];
  const output = step.outputs
    .map(part => part.text)
    .join('\n')
    .trim();
  return (
    <li>
      <details>
        <summary>
          <span className="themisto-Steps-count">
            {`[${step.execution_count ?? step.index + 1}]`}
          </span>
          <code>{firstLine}</code>
          <span className="themisto-Steps-facts" data-status={step.status}>
            {facts.filter(Boolean).join(' · ')}
          </span>
        </summary>
        <pre className="themisto-Text" tabIndex={0}>
          {step.code}
        </pre>
        {output && (
          <pre className="themisto-Output" tabIndex={0}>
            {output}
          </pre>
        )}
      </details>
    </li>
  );
}
