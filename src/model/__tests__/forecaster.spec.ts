import { Forecaster, PAUSE_MS } from '../forecaster';
import type { ICodeCell } from '../notebook';

const cell = (source: string, id = 'a'): ICodeCell => ({
  id,
  source,
  executionCount: null
});

describe('Forecaster', () => {
  let asked: string[];
  let nCancelled: number;
  let isAllowed: boolean;
  let forecaster: Forecaster;

  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    nCancelled = 0;
    isAllowed = true;
    forecaster = new Forecaster({
      ask: ({ id, source }) => asked.push(`${id}: ${source}`),
      cancel: () => nCancelled++,
      isAllowed: () => isAllowed
    });
  });

  afterEach(() => {
    forecaster.dispose();
    jest.useRealTimers();
  });

  const pause = (): void => {
    jest.advanceTimersByTime(PAUSE_MS);
  };

  it('asks once for 30 keys at 80 ms, after the pause', () => {
    for (let i = 1; i <= 30; i++) {
      forecaster.touch(cell('x'.repeat(i)));
      jest.advanceTimersByTime(80);
    }
    expect(asked).toEqual([]);
    pause();
    pause();
    expect(asked).toEqual([`a: ${'x'.repeat(30)}`]);
  });

  it('gives up what is under way with each change, and only then', () => {
    forecaster.touch(cell('x'));
    forecaster.touch(cell('x'));
    expect(nCancelled).toBe(1);
    forecaster.touch(cell('xy'));
    forecaster.touch(cell('xy', 'b'));
    expect(nCancelled).toBe(3);
  });

  it('asks for no cell and for no blank one', () => {
    forecaster.touch(null);
    pause();
    forecaster.touch(cell(' \n\t'));
    pause();
    expect(asked).toEqual([]);
  });

  it('asks for the cell that the user goes to', () => {
    forecaster.touch(cell('x'));
    jest.advanceTimersByTime(PAUSE_MS - 1);
    forecaster.touch(cell('y', 'b'));
    pause();
    expect(asked).toEqual(['b: y']);
  });

  it('asks nothing while a cell runs, and then for the cell in focus', () => {
    forecaster.touch(cell('x'));
    forecaster.hold('a');
    forecaster.touch(cell('y', 'b'));
    pause();
    expect(asked).toEqual([]);
    forecaster.release();
    pause();
    expect(asked).toEqual(['b: y']);
  });

  it('does not ask for a cell that was just run, until it is changed', () => {
    forecaster.touch(cell('x'));
    forecaster.hold('a');
    forecaster.hold(null);
    forecaster.release();
    pause();
    expect(asked).toEqual([]);
    forecaster.touch(cell('x + 1'));
    pause();
    expect(asked).toEqual(['a: x + 1']);
  });

  it('asks again for the cell in focus when another one was run', () => {
    forecaster.touch(cell('x'));
    pause();
    forecaster.hold('b');
    forecaster.release();
    pause();
    expect(asked).toEqual(['a: x', 'a: x']);
  });

  it('asks nothing where it is not allowed or has backed off', () => {
    isAllowed = false;
    forecaster.touch(cell('x'));
    pause();
    isAllowed = true;
    forecaster.backOff(60_000);
    forecaster.touch(cell('xy'));
    pause();
    expect(asked).toEqual([]);
    forecaster.resume();
    forecaster.touch(cell('xyz'));
    pause();
    expect(asked).toEqual(['a: xyz']);
  });

  it('asks nothing after it is disposed', () => {
    forecaster.touch(cell('x'));
    forecaster.dispose();
    pause();
    expect(asked).toEqual([]);
  });
});
