import {
  failure,
  FakeServer,
  LineStream,
  settle
} from '../../testing/fakeServer';
import { example } from '../../testing/wire';
import { ApiError } from '../apiError';
import { ThemistoClient } from '../client';
import type { DeltaLine } from '../generated';

describe('ThemistoClient', () => {
  let server: FakeServer;
  let client: ThemistoClient;

  beforeEach(() => {
    server = new FakeServer();
    client = new ThemistoClient(server.settings);
  });

  it('reads views as the server writes them, under the base URL', async () => {
    server.on('GET kernels/k', example('KernelView'));
    expect(await client.kernel('k')).toEqual(example('KernelView'));
    server.on('GET scores?kernel_id=k', example('ScoresView'));
    expect((await client.scores('k')).n_steps).toBe(42);
  });

  it("makes one segment of a model's name", async () => {
    server.on('POST pulls', example('PullView'));
    await client.pull('local/qwen2.5-coder-0.5b');
    expect(server.requests[0].body).toEqual({
      name: 'local/qwen2.5-coder-0.5b'
    });
    server.on(
      'DELETE pulls/local%2Fqwen2.5-coder-0.5b',
      () => new Response(null, { status: 204 })
    );
    await client.cancelPull('local/qwen2.5-coder-0.5b');
    expect(server.requests).toHaveLength(2);
  });

  it('gives the code and the sentence of an error', async () => {
    const { code, message } = example('ErrorView');
    server.on('GET status', () => failure(502, code, message));
    const error: unknown = await client.status().catch(reason => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, message, status: 502 });
  });

  it('has words for an answer that is not ours', async () => {
    server.on('GET status', () => new Response('<html>', { status: 404 }));
    await expect(client.status()).rejects.toMatchObject({
      code: 'server_extension_missing'
    });
    server.on('GET status', () => new Response('<html>', { status: 503 }));
    await expect(client.status()).rejects.toMatchObject({
      code: 'error',
      status: 503
    });
  });

  it('has words for a server that does not answer', async () => {
    server.on('GET status', () => {
      throw new TypeError('Failed to fetch');
    });
    await expect(client.status()).rejects.toMatchObject({
      code: 'unreachable',
      status: 0
    });
  });

  it('streams a prediction line by line', async () => {
    const stream = new LineStream();
    server.on('POST predictions', () => stream.response);
    const lines: DeltaLine[] = [];
    const ask = { task: 'next_cell', kernel_id: 'k' } as const;
    const done = (async () => {
      for await (const line of client.ask(ask)) {
        lines.push(line);
      }
    })();
    stream.send(example('DeltaLine.text'));
    await settle();
    expect(lines).toEqual([example('DeltaLine.text')]);
    stream.send(example('DeltaLine.state'));
    stream.end();
    await done;
    expect(lines[1].prediction?.text).toContain('groupby');
    expect(server.requests[0].body).toEqual(ask);
  });

  it('ends with an AbortError when it is given up', async () => {
    server.on(
      'POST predictions',
      ({ signal }) => new LineStream(signal).response
    );
    const controller = new AbortController();
    const lines = client.ask(
      { task: 'next_cell', kernel_id: 'k' },
      controller.signal
    );
    const next = lines.next();
    await settle();
    controller.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('says so when the connection breaks in mid-stream', async () => {
    const stream = new LineStream();
    server.on('GET predictions/p/stream', () => stream.response);
    const lines = client.followPrediction('p');
    const next = lines.next();
    await settle();
    stream.fail(new TypeError('network error'));
    await expect(next).rejects.toMatchObject({ code: 'unreachable' });
  });
});
