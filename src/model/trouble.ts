import type { ErrorView } from '../api/generated';

/** What a person can do about a fault with one click. */
export type Remedy = 'settings' | 'pull' | 'retry';

const REMEDIES: Record<string, Remedy> = {
  bad_input: 'settings',
  model_unknown: 'settings',
  model_key_refused: 'settings',
  model_request_rejected: 'settings',
  remote_limit: 'settings',
  prompt_too_long: 'settings',
  store_failed: 'settings',
  model_missing: 'pull',
  model_damaged: 'pull',
  download_failed: 'pull',
  engine_failed: 'retry',
  model_timeout: 'retry',
  model_unavailable: 'retry',
  unreachable: 'retry'
};

/** The one action that is offered beside a fault; null where none helps. */
export function remedyOf(error: ErrorView): Remedy | null {
  return REMEDIES[error.code] ?? null;
}
