import { readJsonLines } from '../ndjson';

/** A stream of bytes in the given pieces. */
function streamOf(...pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      pieces.forEach(piece => controller.enqueue(piece));
      controller.close();
    }
  });
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of readJsonLines(stream)) {
    values.push(value);
  }
  return values;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readJsonLines', () => {
  it('gives one value a line, however the bytes are cut', async () => {
    const whole = bytes('{"a":1}\n{"b":"naïve 日本"}\n{"c":3}\n');
    for (let cut = 0; cut <= whole.length; cut++) {
      const stream = streamOf(whole.slice(0, cut), whole.slice(cut));
      expect(await collect(stream)).toEqual([
        { a: 1 },
        { b: 'naïve 日本' },
        { c: 3 }
      ]);
    }
  });

  it('takes a last line without an end, and skips empty ones', async () => {
    expect(await collect(streamOf(bytes('\n{"a":1}\n\n[2]')))).toEqual([
      { a: 1 },
      [2]
    ]);
  });

  it('gives nothing for an empty stream', async () => {
    expect(await collect(streamOf())).toEqual([]);
  });

  it('cancels the stream when its reader leaves early', async () => {
    const cancel = jest.fn();
    const stream = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(bytes('1\n2\n')),
      cancel
    });
    for await (const value of readJsonLines(stream)) {
      expect(value).toBe(1);
      break;
    }
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('throws what breaks the stream', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start: controller => controller.error(new TypeError('network'))
    });
    await expect(collect(stream)).rejects.toThrow('network');
  });
});
