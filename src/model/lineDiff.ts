import { diffLines } from 'diff';

/** One line of a difference: only forecast, only real, or both. */
export interface IDiffLine {
  kind: 'same' | 'predicted' | 'actual';
  text: string;
}

/** What is compared at most, in lines: a forecast is short, but an output need not be. */
const MAX_LINES = 200;

/** Compare a prediction with what came, line by line. Blanks at the ends of lines and of the text don't count. */
export function lineDiff(predicted: string, actual: string): IDiffLine[] {
  const changes = diffLines(tidy(predicted), tidy(actual));
  return changes.flatMap(change => {
    const kind = change.added
      ? 'actual'
      : change.removed
        ? 'predicted'
        : 'same';
    const lines = change.value.replace(/\n$/, '').split('\n');
    return lines.map(text => ({ kind, text }) as const);
  });
}

/** Whether a prediction came true, blanks at the ends of lines and of the text aside. */
export function cameTrue(predicted: string, actual: string): boolean {
  return tidy(predicted) === tidy(actual);
}

function tidy(text: string): string {
  const lines = text.split('\n').map(line => line.trimEnd());
  const kept = lines.join('\n').trimEnd().split('\n').slice(0, MAX_LINES);
  return kept[0] === '' && kept.length === 1 ? '' : `${kept.join('\n')}\n`;
}
