import type { StepView } from '../../api/generated';
import { ApiError } from '../../api/apiError';
import { example } from '../../testing/wire';
import { activityOf } from '../activity';
import { LazyModel } from '../lazyModel';
import { differenceSentences, rowLabel, scoreTable } from '../scoreTable';
import { TrajectoryModel } from '../trajectoryModel';
import { remedyOf } from '../trouble';

describe('scoreTable', () => {
  const { rows, differences } = example('ScoresView');

  it('puts the best free predictor beside what is shown', () => {
    const [nextCell, output] = scoreTable(rows);
    expect(nextCell.shown.map(row => row.predictor)).toEqual([
      'local/qwen2.5-coder-0.5b'
    ]);
    expect(nextCell.free?.predictor).toBe('baseline/follower');
    expect(output.free).toBeNull();
  });

  it('leaves out what has no scores yet', () => {
    expect(scoreTable(rows.map(row => ({ ...row, n: 0 })))).toEqual([]);
  });

  it('has a short name for each row', () => {
    const label = (predictor: string): string =>
      rowLabel({ ...rows[0], predictor });
    expect(label('baseline/last-output')).toBe('last-output');
    expect(label('local/qwen2.5-coder-0.5b')).toBe('model');
    expect(label('openai/gpt-4o')).toBe('model');
    expect(label('rule/known-output')).toBe('known output');
    expect(label('shown')).toBe('shown');
  });

  it('says each difference once', () => {
    expect(differenceSentences(differences)).toEqual([
      'state helps output by +.08 (+.02 to +.18)'
    ]);
  });
});

describe('activityOf', () => {
  const server = { trouble: null, isOn: true };
  const still = { isRunning: false } as never;
  const thinking = { isRunning: true } as never;
  const notebook = {
    notebook: {} as never,
    isOn: true,
    isBusy: false,
    nextCell: still,
    output: still
  };
  const error = example('ErrorView');

  it('tells the most important thing', () => {
    expect(activityOf(server, notebook)).toBe('ready');
    const busy = { ...notebook, isBusy: true };
    expect(activityOf(server, busy)).toBe('busy');
    expect(activityOf(server, { ...busy, nextCell: thinking })).toBe(
      'thinking'
    );
    expect(activityOf({ ...server, trouble: error }, busy)).toBe('trouble');
    expect(activityOf({ trouble: error, isOn: false }, busy)).toBe('off');
    expect(activityOf(server, { ...busy, isOn: false })).toBe('off');
  });

  it('is ready without a notebook', () => {
    const none = { ...notebook, notebook: null, isOn: false };
    expect(activityOf(server, none)).toBe('ready');
  });
});

describe('remedyOf', () => {
  it('has one thing to do about a fault, or none', () => {
    expect(remedyOf(example('ErrorView'))).toBe('settings');
    expect(remedyOf({ code: 'model_missing', message: '' })).toBe('pull');
    expect(remedyOf({ code: 'model_timeout', message: '' })).toBe('retry');
    expect(remedyOf({ code: 'of another version', message: '' })).toBeNull();
  });
});

describe('LazyModel', () => {
  it('fetches once for a version, and anew for another', async () => {
    const load = jest.fn((key: string) => Promise.resolve(`value of ${key}`));
    const model = new LazyModel(load);
    await model.want('a', '1');
    await model.want('a', '1');
    expect(load).toHaveBeenCalledTimes(1);
    expect(model.value).toBe('value of a');
    const pending = model.want('a', '2');
    expect(model.value).toBe('value of a');
    await pending;
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('drops what comes late, and what belongs to another key', async () => {
    const answers = new Map<string, (value: string) => void>();
    const model = new LazyModel<string>(
      key => new Promise(resolve => answers.set(key, resolve))
    );
    const first = model.want('a');
    const second = model.want('b');
    answers.get('b')?.('b');
    answers.get('a')?.('a');
    await Promise.all([first, second]);
    expect(model.value).toBe('b');
    await model.want(null);
    expect(model.value).toBeNull();
  });

  it('tells an error, and that it is over', async () => {
    let fails = true;
    const model = new LazyModel<number>(async () => {
      if (fails) {
        throw new ApiError('not_found', 'Not here.', 404);
      }
      return 1;
    });
    await model.want('a', '1');
    expect(model.error?.message).toBe('Not here.');
    fails = false;
    await model.want('a', '2');
    expect(model.error).toBeNull();
    expect(model.value).toBe(1);
  });
});

describe('TrajectoryModel', () => {
  const [step] = example('StepsView').steps;
  const all = Array.from({ length: 450 }, (_, index) => ({ ...step, index }));
  const steps = jest.fn((_: string, after: number) =>
    Promise.resolve({
      steps: all.slice(after, after + 200) as StepView[],
      total: all.length
    })
  );
  const indexes = (model: TrajectoryModel): number[] =>
    model.steps.map(({ index }) => index);

  beforeEach(() => steps.mockClear());

  it('has the latest page first, then the ones before', async () => {
    const model = new TrajectoryModel({ steps });
    await model.want('k', 't', 450);
    expect(indexes(model)).toEqual(all.slice(250).map(({ index }) => index));
    expect(model.hasEarlier).toBe(true);
    await model.loadEarlier();
    await model.loadEarlier();
    expect(indexes(model)).toEqual(all.map(({ index }) => index));
    expect(model.hasEarlier).toBe(false);
    await model.loadEarlier();
    expect(steps).toHaveBeenCalledTimes(3);
  });

  it('fetches only what is new', async () => {
    const model = new TrajectoryModel({ steps });
    await model.want('k', 't', 3);
    steps.mockClear();
    await model.want('k', 't', 3);
    expect(steps).not.toHaveBeenCalled();
    await model.want('k', 't', 210);
    expect(steps).toHaveBeenCalledWith('k', 200);
  });

  it('begins anew with another life of the kernel', async () => {
    const model = new TrajectoryModel({ steps });
    await model.want('k', 't', 450);
    await model.want('k', 't2', 0);
    expect(model.steps).toEqual([]);
  });
});
