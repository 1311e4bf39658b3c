import type { Event } from '@jupyterlab/services';
import { ServerConnection } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { Stream } from '@lumino/signaling';

/** A request as the server would see it. */
export interface ISeenRequest {
  method: string;
  path: string;
  body: unknown;
  signal: AbortSignal;
}

type Answer = (request: ISeenRequest) => Response | Promise<Response>;

const BASE_URL = 'http://localhost:8888/user/x/';

/**
 * Stands in for the network: answers requests, and remembers them. All code of ours is the real one.
 */
export class FakeServer {
  readonly requests: ISeenRequest[] = [];

  /** Answer a route, as `GET kernels/k`; the latest answer for a route counts. */
  on(route: string, answer: Answer | object): void {
    this._answers.set(
      route,
      typeof answer === 'function' ? (answer as Answer) : () => json(answer)
    );
  }

  /** What was sent to a route. */
  sent(route: string): ISeenRequest[] {
    return this.requests.filter(
      ({ method, path }) => `${method} ${path}` === route
    );
  }

  readonly settings = ServerConnection.makeSettings({
    baseUrl: BASE_URL,
    wsUrl: 'ws://localhost:8888/user/x/',
    token: '',
    fetch: async (input: RequestInfo | URL): Promise<Response> => {
      const request = input as Request;
      const url = new URL(request.url);
      const query = new URLSearchParams(url.search);
      const known = [...query].filter(([, value]) => value !== '');
      const tail = known.map(([key, value]) => `${key}=${value}`).join('&');
      const path =
        url.pathname.replace('/user/x/themisto/api/', '') +
        (tail ? `?${tail}` : '');
      const text = await request.text();
      const seen: ISeenRequest = {
        method: request.method,
        path,
        body: text ? JSON.parse(text) : undefined,
        signal: request.signal
      };
      this.requests.push(seen);
      const answer = this._answers.get(`${seen.method} ${path}`);
      return answer ? answer(seen) : failure(404, 'not_found', 'Not here.');
    }
  });

  private readonly _answers = new Map<string, Answer>();
}

/** Answer with JSON. */
export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status });
}

/** Answer with an error as the routes write it. */
export function failure(
  status: number,
  code: string,
  message: string
): Response {
  return json({ code, message }, status);
}

/** Answer with lines that come one by one, as the test says. */
export class LineStream {
  constructor(signal?: AbortSignal) {
    this.body = new ReadableStream<Uint8Array>({
      start: controller => {
        this._controller = controller;
      },
      cancel: () => {
        this.isCancelled = true;
      }
    });
    signal?.addEventListener('abort', () => {
      if (!this.isCancelled) {
        this.isCancelled = true;
        this._controller?.error(new DOMException('given up', 'AbortError'));
      }
    });
  }

  readonly body: ReadableStream<Uint8Array>;
  isCancelled = false;

  get response(): Response {
    return new Response(this.body);
  }

  send(line: unknown): void {
    this.sendText(`${JSON.stringify(line)}\n`);
  }

  sendText(text: string): void {
    this._controller?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this._controller?.close();
  }

  fail(error: Error): void {
    this._controller?.error(error);
  }

  private _controller: ReadableStreamDefaultController<Uint8Array> | null =
    null;
}

/** Stands in for the server's events. */
export class FakeEvents {
  constructor() {
    this.stream = new Stream<Event.IManager, Event.Emission>(
      this as unknown as Event.IManager
    );
  }

  readonly stream: Stream<Event.IManager, Event.Emission>;

  emit(name: string, data: JSONObject): void {
    const id = `https://themisto-lab.github.io/events/${name}/v1`;
    this.stream.emit({ schema_id: id, ...data });
  }
}

/** Let everything that is under way come to its end. */
export async function settle(ms = 0): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, ms));
}
