import type { ScoreRow, TaskKind } from '../api/generated';

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
    const ofTask = rows.filter(row => row.task === task);
    const shown = ofTask
      .filter(row => row.shown)
      .sort((a, b) => b.n - a.n)
      .slice(0, 2);
    const free = best(
      ofTask.filter(row => row.predictor.startsWith(FREE) && row.n > 0)
    );
    return shown.length > 0 || free ? [{ task, shown, free }] : [];
  });
}

/** The row with the highest mean of the three metrics. */
function best(rows: ScoreRow[]): ScoreRow | null {
  return rows.reduce<ScoreRow | null>(
    (top, row) => (top === null || meanOf(row) > meanOf(top) ? row : top),
    null
  );
}

function meanOf(row: ScoreRow): number {
  return (
    ((row.exact_match ?? 0) + (row.rouge_l ?? 0) + (row.chrf ?? 0)) / 3
  );
}
