import { ApiError } from '../../api/apiError';
import type { DeltaLine } from '../../api/generated';
import { settle } from '../../testing/fakeServer';
import { example } from '../../testing/wire';
import { PredictionSlot, type StreamOpener } from '../predictionSlot';

/** A stream that the test feeds by hand. */
class Feed {
  readonly open: StreamOpener = signal => this._lines(signal);
  signal: AbortSignal | null = null;

  async send(line: DeltaLine): Promise<void> {
    this._queue.push(line);
    this._wake();
    await settle();
  }

  async end(error?: Error): Promise<void> {
    this._end = { error };
    this._wake();
    await settle();
  }

  private async *_lines(signal: AbortSignal): AsyncGenerator<DeltaLine> {
    this.signal = signal;
    for (;;) {
      const line = this._queue.shift();
      if (line) {
        yield line;
      } else if (this._end) {
        if (this._end.error) {
          throw this._end.error;
        }
        return;
      } else {
        await new Promise<void>(resolve => {
          this._wake = resolve;
        });
      }
    }
  }

  private _queue: DeltaLine[] = [];
  private _end: { error?: Error } | null = null;
  private _wake: () => void = () => undefined;
}

describe('PredictionSlot', () => {
  const state = example('DeltaLine.state');
  const text = example('DeltaLine.text');
  const ready = example('PredictionView');
  const running = {
    ...state,
    text: '',
    prediction: { ...ready, text: '', status: 'running' as const }
  };

  it('grows with its stream and ends with the last state', async () => {
    const slot = new PredictionSlot();
    const feed = new Feed();
    const done = slot.follow(feed.open);
    expect(slot.isRunning).toBe(true);
    await feed.send(running);
    await feed.send(text);
    expect(slot.view).toMatchObject({ status: 'running', text: 'df.groupby(' });
    await feed.send(state);
    await feed.end();
    expect(await done).toBeNull();
    expect(slot.view).toEqual(ready);
    expect(slot.isRunning).toBe(false);
  });

  it('drops what comes late from an earlier stream', async () => {
    const slot = new PredictionSlot();
    const early = new Feed();
    const late = new Feed();
    void slot.follow(early.open);
    await early.send(running);
    void slot.follow(late.open);
    expect(early.signal?.aborted).toBe(true);
    await late.send({
      ...state,
      id: 'b',
      prediction: { ...ready, id: 'b', text: 'new' }
    });
    await early.send(state);
    expect(slot.view).toMatchObject({ id: 'b', text: 'new' });
  });

  it('drops text that is about another prediction', async () => {
    const slot = new PredictionSlot();
    const feed = new Feed();
    void slot.follow(feed.open);
    await feed.send(running);
    await feed.send({ ...text, id: 'other' });
    expect(slot.view?.text).toBe('');
  });

  it('shows nothing of a prediction whose stream is closed early', async () => {
    const slot = new PredictionSlot();
    const feed = new Feed();
    void slot.follow(feed.open);
    await feed.send(running);
    slot.stop();
    expect(feed.signal?.aborted).toBe(true);
    expect(slot.view).toBeNull();
    expect(slot.isRunning).toBe(false);
  });

  it('keeps a complete prediction when it is told to stop', () => {
    const slot = new PredictionSlot();
    slot.set(ready);
    slot.stop();
    expect(slot.view).toEqual(ready);
  });

  it('tells the error that ended it, and shows no half text', async () => {
    const slot = new PredictionSlot();
    const feed = new Feed();
    const done = slot.follow(feed.open);
    await feed.send(running);
    await feed.end(new ApiError('model_timeout', 'Too slow.', 504));
    expect((await done)?.code).toBe('model_timeout');
    expect(slot.error?.message).toBe('Too slow.');
    expect(slot.view).toBeNull();
  });

  it('hides what was waved away until there is another one', () => {
    const slot = new PredictionSlot();
    slot.set(ready);
    slot.dismiss();
    expect(slot.visible).toBeNull();
    slot.set({ ...ready, id: 'b' });
    expect(slot.visible?.id).toBe('b');
  });

  it.each(['cancelled', 'missed', 'stale'] as const)(
    'does not show one that is %s',
    status => {
      const slot = new PredictionSlot();
      slot.set({ ...ready, status });
      expect(slot.visible).toBeNull();
    }
  );
});
