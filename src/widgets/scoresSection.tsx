import React from 'react';

import type { ScoreRow, TaskKind } from '../api/generated';
import { formatCount, formatScore } from '../model/format';
import {
  differenceSentences,
  type ITaskScores,
  rowLabel,
  scoreTable
} from '../model/scoreTable';
import { usePanel } from './context';
import { Notice } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

const TASK_WORDS: Record<TaskKind, string> = {
  next_cell: 'Next cell',
  cell_output: 'Output'
};

/** How well it predicts in this kernel, beside the best predictor that costs nothing. */
export function ScoresSection(): React.ReactElement {
  const { model } = usePanel();
  const { kernel } = model.notebook;
  useObservable(kernel);
  const scores = kernel.scores;
  return (
    <Section
      title="Scores"
      isOpenAtFirst={true}
      aside={scores && formatCount(scores.n_steps, 'step')}
    >
      {() => {
        const tasks = scores ? scoreTable(scores.rows) : [];
        return tasks.length > 0 ? (
          <>
            <ScoreTable tasks={tasks} />
            {differenceSentences(scores?.differences ?? []).map(sentence => (
              <p key={sentence} className="themisto-Sentence">
                {sentence}
              </p>
            ))}
          </>
        ) : (
          <Notice>Each prediction is scored when its cell is run.</Notice>
        );
      }}
    </Section>
  );
}

function ScoreTable(props: { tasks: ITaskScores[] }): React.ReactElement {
  return (
    <table className="themisto-Scores">
      <thead>
        <tr>
          <th scope="col">
            <span className="themisto-Hidden">Predictor</span>
          </th>
          <th scope="col" title="The share that came exactly true">
            exact
          </th>
          <th scope="col" title="The longest common run of words, F1">
            ROUGE-L
          </th>
          <th scope="col" title="Common pieces of up to six characters, F2">
            ChrF
          </th>
        </tr>
      </thead>
      {props.tasks.map(({ task, shown, free }) => (
        <tbody key={task}>
          <tr>
            <th colSpan={4} scope="rowgroup">
              {TASK_WORDS[task]}
            </th>
          </tr>
          {shown.map(row => (
            <Row
              key={`${row.predictor} ${row.arm}`}
              label={rowLabel(row)}
              row={row}
            />
          ))}
          {free && !shown.some(row => row.predictor === free.predictor) && (
            <Row label={`free: ${rowLabel(free)}`} row={free} />
          )}
        </tbody>
      ))}
    </table>
  );
}

function Row(props: { label: string; row: ScoreRow }): React.ReactElement {
  const { label, row } = props;
  const facts = [
    `${row.n} scored`,
    row.n_missed > 0 && `${row.n_missed} missed`,
    row.n_stale > 0 && `${row.n_stale} stale`,
    row.n_failed > 0 && `${row.n_failed} failed`
  ];
  const counts = facts.filter(Boolean).join(', ');
  return (
    <tr title={`${row.predictor}: ${counts}`}>
      <th scope="row">
        {label}
        <span className="themisto-Hidden">{`: ${counts}`}</span>
      </th>
      <td>{formatScore(row.exact_match)}</td>
      <td>{formatScore(row.rouge_l)}</td>
      <td>{formatScore(row.chrf)}</td>
    </tr>
  );
}
