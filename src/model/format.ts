/** A number of bytes for a person, in decimal units as file managers use them: `3.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  // Rounding must not make 1000 of the smaller unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** A duration for a person: `40 ms`, `0.4 s`, `2 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.0995) {
    return `${Math.round(seconds * 1000)} ms`;
  }
  if (seconds < 59.95) {
    return `${seconds < 9.95 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
  }
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = whole % 60;
  return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}

/** A score in [0, 1] with two digits: `.21`, `1.00`; a dash where there is none. */
export function formatScore(score: number | null): string {
  return score === null ? '–' : score.toFixed(2).replace(/^0/, '');
}

/** A count with its noun: `1 step`, `42 steps`, `1,453 steps`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** The last part of a model's name: `qwen2.5-coder-0.5b` of `local/qwen2.5-coder-0.5b`. */
export function shortModelName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
