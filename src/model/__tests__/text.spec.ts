import { classifyAcceptance } from '../acceptance';
import {
  fileName,
  formatBytes,
  formatCount,
  formatScore,
  formatSeconds,
  shortModelName
} from '../format';
import { firstLine, firstWord, remainder } from '../ghostText';
import { cameTrue, lineDiff } from '../lineDiff';

describe('remainder', () => {
  const predicted = 'df.head()\nprint(1)';

  it.each([
    ['an empty cell', '', 0, predicted],
    ['a cell with an empty line', '\n', 1, predicted],
    ['a blank start of a line', '    ', 4, ''],
    ['a typed beginning', 'df.h', 4, 'ead()\nprint(1)'],
    ['a whole first line', 'df.head()\n', 10, 'print(1)'],
    ['another text', 'dx', 2, ''],
    ['all of it', predicted, predicted.length, ''],
    ['more than it', `${predicted} `, predicted.length + 1, ''],
    ['a cursor that is not at the end', 'df.h', 2, '']
  ])('for %s', (_, typed, cursor, rest) => {
    expect(remainder(predicted, typed, cursor)).toBe(rest);
  });

  it('gives nothing for an empty prediction', () => {
    expect(remainder('', '', 0)).toBe('');
  });
});

describe('parts of a suggestion', () => {
  it.each([
    ['df.head()', 'df'],
    ['.head()', '.'],
    ['  return x', '  return'],
    ['\nprint(1)', '\nprint'],
    ['größe = 1', 'größe'],
    ['数 + 1', '数']
  ])('the first word of %j is %j', (text, word) => {
    expect(firstWord(text)).toBe(word);
  });

  it('takes a line with its end, and the blank lines before it', () => {
    expect(firstLine('a = 1\nb = 2')).toBe('a = 1\n');
    expect(firstLine('\n\na = 1\nb = 2')).toBe('\n\na = 1\n');
    expect(firstLine('b = 2')).toBe('b = 2');
  });

  it('always takes something, so that repeating it comes to an end', () => {
    let rest = 'x == [1, 2]  # ∑ 🙂\n\n';
    let n = 0;
    while (rest) {
      rest = rest.slice(firstWord(rest).length);
      n += 1;
      expect(n).toBeLessThan(30);
    }
  });
});

describe('classifyAcceptance', () => {
  const text = 'df.head()\nprint(1)';

  it.each([
    ['all of it in an empty cell', true, '', text, 'accepted', 18],
    ['all of it below an empty line', true, '\n', `\n${text}`, 'accepted', 18],
    ['the rest of it', true, 'df.', text, 'accepted', 15],
    ['one word', true, '', 'df', 'accepted_part', 2],
    ['one line', true, 'df.', 'df.head()\n', 'accepted_part', 6],
    ['all that had come', false, '', 'df.head()', 'accepted_part', 9],
    ['all while more was to come', false, '', text, 'accepted_part', 18]
  ])('%s', (_, isComplete, before, after, action, characters) => {
    expect(classifyAcceptance(text, isComplete, before, after)).toEqual({
      action,
      characters
    });
  });

  it.each([
    ['text of somebody else', '', 'print(2)'],
    ['no change', 'df', 'df'],
    ['less than before', 'df.head()', 'df'],
    ['a beginning that is not its own', 'x', 'xdf']
  ])('%s is not an acceptance', (_, before, after) => {
    expect(classifyAcceptance(text, true, before, after)).toBeNull();
  });
});

describe('lineDiff', () => {
  const kinds = (predicted: string, actual: string): string[] =>
    lineDiff(predicted, actual).map(({ kind, text }) => `${kind}: ${text}`);

  it('shows what was predicted, what came, and what is both', () => {
    expect(kinds('150\n(150, 6)', '150\n(150, 5)')).toEqual([
      'same: 150',
      'predicted: (150, 6)',
      'actual: (150, 5)'
    ]);
  });

  it('shows an output that nobody predicted, and one that never came', () => {
    expect(kinds('', 'a\nb')).toEqual(['actual: a', 'actual: b']);
    expect(kinds('a\nb', '')).toEqual(['predicted: a', 'predicted: b']);
    expect(kinds('', '')).toEqual([]);
  });

  it('takes blanks at the ends for nothing', () => {
    expect(kinds('a  \nb\n\n', 'a\nb')).toEqual(['same: a', 'same: b']);
    expect(cameTrue('a  \nb\n\n', 'a\nb')).toBe(true);
    expect(cameTrue(' a', 'a')).toBe(false);
    expect(cameTrue('', '\n')).toBe(true);
  });

  it('keeps empty lines in between', () => {
    expect(kinds('a\n\nb', 'a\n\nc')).toEqual([
      'same: a',
      'same: ',
      'predicted: b',
      'actual: c'
    ]);
  });

  it('stays quick with an output of any length', () => {
    const lines = (prefix: string): string =>
      Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`).join('\n');
    const start = performance.now();
    expect(lineDiff(lines('a'), lines('b')).length).toBeLessThanOrEqual(400);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [3_100_000, '3.1 MB'],
    [491_400_064, '491 MB'],
    [999_700, '1.0 MB'],
    [1_117_320_768, '1.1 GB']
  ])('%d bytes', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0.0004, '0 ms'],
    [0.04, '40 ms'],
    [0.4, '0.4 s'],
    [9.97, '10 s'],
    [45.5, '46 s'],
    [59.97, '1 min'],
    [125, '2 min 5 s']
  ])('%d seconds', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it('writes scores with two digits and counts with their noun', () => {
    expect([0.21, 1, 0, null].map(formatScore)).toEqual([
      '.21',
      '1.00',
      '.00',
      '–'
    ]);
    expect(formatCount(1, 'step')).toBe('1 step');
    expect(formatCount(1453, 'step')).toBe('1,453 steps');
  });

  it('shortens names', () => {
    expect(shortModelName('local/qwen2.5-coder-0.5b')).toBe(
      'qwen2.5-coder-0.5b'
    );
    expect(shortModelName('echo')).toBe('echo');
    expect(fileName('a/b/c.ipynb')).toBe('c.ipynb');
  });
});
