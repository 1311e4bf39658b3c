import type { ErrorView } from '../api/generated';
import { toApiError } from '../api/apiError';
import { Observable } from './observable';

/**
 * Something that is fetched only while somebody looks at it, and anew when what it depends on changes.
 */
export class LazyModel<T> extends Observable {
  /**
   * @param _load Fetch what belongs to a key.
   */
  constructor(private readonly _load: (key: string) => Promise<T>) {
    super();
  }

  /** What came last; while something newer is fetched it stays. */
  get value(): T | null {
    return this._value;
  }

  get error(): ErrorView | null {
    return this._error;
  }

  /**
   * Have the value for a key.
   *
   * @param key What the value is of; null where there is nothing.
   * @param version The value is fetched again when this changes.
   */
  async want(key: string | null, version = ''): Promise<void> {
    const wanted = key === null ? null : `${key} ${version}`;
    if (wanted === this._wanted) {
      return;
    }
    this._wanted = wanted;
    if (key !== this._key) {
      this._key = key;
      this._value = null;
      this._error = null;
      this.emitChanged();
    }
    if (key === null) {
      return;
    }
    try {
      const value = await this._load(key);
      if (wanted === this._wanted) {
        this._value = value;
        this._error = null;
      }
    } catch (error) {
      if (wanted === this._wanted) {
        this._error = toApiError(error).view;
      }
    }
    this.emitChanged();
  }

  private _wanted: string | null = null;
  private _key: string | null = null;
  private _value: T | null = null;
  private _error: ErrorView | null = null;
}
