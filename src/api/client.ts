import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { ApiError, isAbort } from './apiError';
import type {
  AskRequest,
  DeltaLine,
  ErrorView,
  FeedbackRequest,
  ForgetRequest,
  ForgetView,
  KernelView,
  ModelsView,
  NotebookOptions,
  PredictionView,
  PullView,
  ScoresView,
  SentView,
  SettingsView,
  StateView,
  StatusView,
  StepsView,
  StoreView
} from './generated';
import { readJsonLines } from './ndjson';

const NAMESPACE = 'themisto/api';

/**
 * Every route of the server, typed. Failures are `ApiError`s; an aborted request throws an `AbortError`.
 */
export class ThemistoClient {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  status(): Promise<StatusView> {
    return this._json('GET', ['status']);
  }

  putSettings(settings: Partial<SettingsView>): Promise<SettingsView> {
    return this._json('PUT', ['settings'], settings);
  }

  models(): Promise<ModelsView> {
    return this._json('GET', ['models']);
  }

  pull(name: string): Promise<PullView> {
    return this._json('POST', ['pulls'], { name });
  }

  followPull(name: string, signal?: AbortSignal): AsyncGenerator<PullView> {
    return this._stream('GET', ['pulls', name, 'stream'], undefined, signal);
  }

  cancelPull(name: string): Promise<void> {
    return this._empty('DELETE', ['pulls', name]);
  }

  kernel(kernelId: string): Promise<KernelView> {
    return this._json('GET', ['kernels', kernelId]);
  }

  putNotebook(kernelId: string, options: NotebookOptions): Promise<KernelView> {
    return this._json('PUT', ['kernels', kernelId, 'notebook'], options);
  }

  steps(kernelId: string, after: number): Promise<StepsView> {
    const query = { after: String(after) };
    return this._json('GET', ['kernels', kernelId, 'steps'], undefined, query);
  }

  state(kernelId: string): Promise<StateView> {
    return this._json('GET', ['kernels', kernelId, 'state']);
  }

  /**
   * Ask for a prediction. Closing the stream gives up a `pause` ask that nobody else follows.
   */
  ask(request: AskRequest, signal?: AbortSignal): AsyncGenerator<DeltaLine> {
    return this._stream('POST', ['predictions'], request, signal);
  }

  prediction(id: string): Promise<PredictionView> {
    return this._json('GET', ['predictions', id]);
  }

  followPrediction(
    id: string,
    signal?: AbortSignal
  ): AsyncGenerator<DeltaLine> {
    return this._stream(
      'GET',
      ['predictions', id, 'stream'],
      undefined,
      signal
    );
  }

  cancelPrediction(id: string): Promise<void> {
    return this._empty('DELETE', ['predictions', id]);
  }

  sent(id: string): Promise<SentView> {
    return this._json('GET', ['predictions', id, 'sent']);
  }

  feedback(id: string, feedback: FeedbackRequest): Promise<void> {
    return this._empty('POST', ['predictions', id, 'feedback'], feedback);
  }

  scores(kernelId: string): Promise<ScoresView> {
    return this._json('GET', ['scores'], undefined, { kernel_id: kernelId });
  }

  store(): Promise<StoreView> {
    return this._json('GET', ['store']);
  }

  forget(request: ForgetRequest): Promise<ForgetView> {
    return this._json('POST', ['store', 'forget'], request);
  }

  private async _json<T>(
    method: string,
    path: string[],
    body?: unknown,
    query?: Record<string, string>
  ): Promise<T> {
    const response = await this._request(method, path, { body, query });
    return (await response.json()) as T;
  }

  private async _empty(
    method: string,
    path: string[],
    body?: unknown
  ): Promise<void> {
    await this._request(method, path, { body });
  }

  private async *_stream<T>(
    method: string,
    path: string[],
    body?: unknown,
    signal?: AbortSignal
  ): AsyncGenerator<T> {
    const response = await this._request(method, path, { body, signal });
    if (response.body) {
      try {
        yield* readJsonLines<T>(response.body);
      } catch (error) {
        // A connection that breaks in mid-stream is a `TypeError` of fetch's own wording.
        throw error instanceof TypeError ? ApiError.unreachable() : error;
      }
    }
  }

  private async _request(
    method: string,
    path: string[],
    options: {
      body?: unknown;
      query?: Record<string, string>;
      signal?: AbortSignal;
    }
  ): Promise<Response> {
    // A model's name and a path hold slashes: each part is one segment.
    const url =
      URLExt.join(
        this._settings.baseUrl,
        NAMESPACE,
        ...path.map(encodeURIComponent)
      ) + (options.query ? URLExt.objectToQueryString(options.query) : '');
    const init: RequestInit = { method, signal: options.signal };
    if (options.body !== undefined) {
      init.body = JSON.stringify(options.body);
      init.headers = { 'Content-Type': 'application/json' };
    }
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this._settings);
    } catch (error) {
      if (isAbort(error) || options.signal?.aborted) {
        throw new DOMException('The request was given up.', 'AbortError');
      }
      throw ApiError.unreachable();
    }
    if (!response.ok) {
      throw await errorOf(response);
    }
    return response;
  }
}

/** Read the error that a response carries, or make one of its status. */
async function errorOf(response: Response): Promise<ApiError> {
  try {
    const view = (await response.json()) as Partial<ErrorView>;
    if (view.code && view.message) {
      return new ApiError(view.code, view.message, response.status);
    }
  } catch {
    // Not ours: a proxy's page, or the extension is not enabled on the server.
  }
  const missing = response.status === 404;
  return new ApiError(
    missing ? 'server_extension_missing' : 'error',
    missing
      ? 'The server part of Themisto Lab is not enabled.'
      : `The server answered with status ${response.status}.`,
    response.status
  );
}
