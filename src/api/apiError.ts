import type { ErrorView } from './generated';

/**
 * What a route answered in place of a result, or that it could not be asked at all.
 */
export class ApiError extends Error {
  /**
   * @param code A stable word; `unreachable` when there was no answer.
   * @param message One sentence for a person, with the remedy.
   * @param status The HTTP status; 0 when there was no answer.
   */
  constructor(
    readonly code: string,
    message: string,
    readonly status: number
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** The same as the routes write it. */
  get view(): ErrorView {
    return { code: this.code, message: this.message };
  }

  /** An error for a server that gave no answer. */
  static unreachable(): ApiError {
    return new ApiError(
      'unreachable',
      'The server does not answer: check that it is running.',
      0
    );
  }
}

/** Whether an error is only that its request was given up. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Whatever was thrown, as something to show. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  return new ApiError('error', 'Something went wrong in the page.', 0);
}
