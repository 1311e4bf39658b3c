import { toApiError } from '../api/apiError';
import type { ThemistoClient } from '../api/client';
import type { ErrorView, StepView } from '../api/generated';
import { Observable } from './observable';

/** How many steps the server gives at once. */
const PAGE = 200;

/**
 * The steps of one kernel life, the latest of them first fetched.
 */
export class TrajectoryModel extends Observable {
  constructor(private readonly _client: Pick<ThemistoClient, 'steps'>) {
    super();
  }

  /** The steps that are here, oldest first. */
  get steps(): readonly StepView[] {
    return this._steps;
  }

  /** Whether there are steps before the ones that are here. */
  get hasEarlier(): boolean {
    return (this._steps[0]?.index ?? 0) > 0;
  }

  get error(): ErrorView | null {
    return this._error;
  }

  /** Have the steps of a kernel life up to a number of steps. */
  async want(
    kernelId: string | null,
    trajectoryId: string,
    nSteps: number
  ): Promise<void> {
    if (kernelId !== this._kernelId || trajectoryId !== this._trajectoryId) {
      this._kernelId = kernelId;
      this._trajectoryId = trajectoryId;
      this._steps = [];
      this._nSteps = 0;
      this.emitChanged();
    }
    if (nSteps > this._nSteps) {
      this._nSteps = nSteps;
      const last = this._steps.at(-1);
      await this._fetch(last ? last.index + 1 : Math.max(0, nSteps - PAGE));
    }
  }

  /** Fetch the page before the ones that are here. */
  async loadEarlier(): Promise<void> {
    const first = this._steps[0]?.index ?? 0;
    if (first > 0) {
      await this._fetch(Math.max(0, first - PAGE));
    }
  }

  private async _fetch(after: number): Promise<void> {
    const kernelId = this._kernelId;
    const trajectoryId = this._trajectoryId;
    if (!kernelId) {
      return;
    }
    let page: StepView[] = [];
    try {
      page = (await this._client.steps(kernelId, after)).steps;
      this._error = null;
    } catch (error) {
      this._error = toApiError(error).view;
    }
    if (kernelId === this._kernelId && trajectoryId === this._trajectoryId) {
      const byIndex = new Map(
        [...this._steps, ...page].map(step => [step.index, step])
      );
      this._steps = [...byIndex.values()].sort((a, b) => a.index - b.index);
      this.emitChanged();
    }
  }

  private _kernelId: string | null = null;
  private _trajectoryId = '';
  private _nSteps = 0;
  private _steps: StepView[] = [];
  private _error: ErrorView | null = null;
}
