import type { ArmDifference, ScoreRow, TaskKind } from '../api/generated';

/** The scores of one task: what is shown to the user, and the best predictor that costs nothing. */
export interface ITaskScores {
  task: TaskKind;
  /** The rows of the predictor that is shown, one for each of its arms. */
  shown: ScoreRow[];
  free: ScoreRow | null;
}

const FREE = 'baseline/';

/** Put the rows in order: for each task what is shown first and the best free predictor beside it. */
export function scoreTable(rows: ScoreRow[]): ITaskScores[] {
  const tasks: TaskKind[] = ['next_cell', 'cell_output'];
  return tasks.flatMap(task => {
    const ofTask = rows.filter(row => row.task === task && row.n > 0);
    const shown = ofTask
      .filter(row => row.shown)
      .sort((a, b) => b.n - a.n)
      .slice(0, 2);
    const free = best(ofTask.filter(row => row.predictor.startsWith(FREE)));
    return shown.length > 0 || free ? [{ task, shown, free }] : [];
  });
}

/** What a row is called: the model needs no name, as there is one at a time. */
export function rowLabel(row: ScoreRow): string {
  const [kind, name] = row.predictor.split('/', 2);
  if (name === undefined) {
    return kind;
  }
  if (kind === 'rule') {
    return 'known output';
  }
  return row.predictor.startsWith(FREE) ? name : 'model';
}

/** The metric that a difference is told in: a sentence for each would only repeat itself. */
const TOLD_IN: ArmDifference['metric'] = 'rouge_l';

/** What can be said about the arms, one sentence for each task and predictor. */
export function differenceSentences(differences: ArmDifference[]): string[] {
  const told = differences
    .filter(({ metric, sentence }) => metric === TOLD_IN && sentence)
    .map(({ sentence }) => sentence);
  return [...new Set(told)];
}

/** The row with the highest mean of the three metrics. */
function best(rows: ScoreRow[]): ScoreRow | null {
  return rows.reduce<ScoreRow | null>(
    (top, row) => (top === null || meanOf(row) > meanOf(top) ? row : top),
    null
  );
}

function meanOf(row: ScoreRow): number {
  return ((row.exact_match ?? 0) + (row.rouge_l ?? 0) + (row.chrf ?? 0)) / 3;
}
