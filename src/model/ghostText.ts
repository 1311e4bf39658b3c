/**
 * What a prediction adds to a cell: the rest of it where the cell holds its beginning.
 *
 * @param predicted The predicted code.
 * @param typed All that the cell holds.
 * @param cursor Where the cursor is in it, in UTF-16 units.
 * @returns The text to add at the cursor; empty where the prediction does not go on from there.
 */
export function remainder(
  predicted: string,
  typed: string,
  cursor: number
): string {
  if (!typed.trim()) {
    // A blank cell takes it whole, at the start of a line.
    return /(^|\n)$/.test(typed.slice(0, cursor)) ? predicted : '';
  }
  const isContinued = cursor === typed.length && predicted.startsWith(typed);
  return isContinued ? predicted.slice(typed.length) : '';
}

/** The first word of a text, or the signs before it, with the blanks in front. */
export function firstWord(text: string): string {
  return (
    /^\s*(?:[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+)/u.exec(text)?.[0] ??
    text
  );
}

/** The first line of a text with its end; blank lines before it belong to it. */
export function firstLine(text: string): string {
  return /^\s*[^\n]*\n?/u.exec(text)?.[0] ?? text;
}
