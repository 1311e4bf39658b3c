/** How much of an offered text a user took. */
export interface IAcceptance {
  action: 'accepted' | 'accepted_part';
  /** How many characters came from the offer. */
  characters: number;
}

/**
 * Tell from a cell's text before and after how much of a prediction was taken.
 *
 * @param predicted The whole prediction as far as it had come.
 * @param isComplete Whether no more of it was to come.
 * @param before The cell's text when the rest was offered.
 * @param after The cell's text now.
 * @returns Null where what came is not from this prediction.
 */
export function classifyAcceptance(
  predicted: string,
  isComplete: boolean,
  before: string,
  after: string
): IAcceptance | null {
  const wasBlank = !before.trim();
  const start = wasBlank ? '' : before;
  const end = wasBlank ? after.trim() : after.trimEnd();
  const isOurs =
    end.length > start.trimEnd().length &&
    predicted.startsWith(start) &&
    predicted.startsWith(end);
  if (!isOurs) {
    return null;
  }
  const isWhole = isComplete && end === predicted.trimEnd();
  return {
    action: isWhole ? 'accepted' : 'accepted_part',
    characters: end.length - start.length
  };
}
