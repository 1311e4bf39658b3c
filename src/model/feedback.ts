import type { ThemistoClient } from '../api/client';
import type { FeedbackRequest, PredictionView } from '../api/generated';
import { classifyAcceptance } from './acceptance';

/** Where a prediction was seen or used. */
export type Surface = 'sidebar' | 'ghost';

/**
 * Tells the server what the user did with predictions: each thing once.
 */
export class Feedback {
  constructor(private readonly _client: Pick<ThemistoClient, 'feedback'>) {}

  /** The user did something with a prediction. */
  report(
    prediction: PredictionView,
    action: FeedbackRequest['action'],
    detail: Record<string, unknown>
  ): void {
    const { id, status } = prediction;
    const send = (): void => this._send(id, { action, detail });
    if (status === 'running') {
      // The server knows a prediction once it is complete.
      this._waiting.set(id, [...(this._waiting.get(id) ?? []), send]);
    } else {
      send();
    }
  }

  /** A prediction is complete and stored: what waited for that is sent. */
  completed(id: string): void {
    const waiting = this._waiting.get(id) ?? [];
    this._waiting.delete(id);
    waiting.forEach(send => send());
  }

  /** A prediction was on the screen. */
  seen(prediction: PredictionView, surface: Surface): void {
    const key = `${surface} ${prediction.id}`;
    if (!this._seen.has(key)) {
      this._seen.add(key);
      this.report(prediction, 'shown', { surface });
    }
  }

  /** A prediction is in a cell now: tell later whether it was edited before it was run. */
  placed(cellId: string, prediction: PredictionView, text: string): void {
    this._placed.set(cellId, { id: prediction.id, text });
  }

  /** Ghost text was taken: the cell's text went from one to the other. */
  taken(
    cellId: string,
    prediction: PredictionView,
    before: string,
    after: string
  ): void {
    const isComplete = prediction.status !== 'running';
    const taken = classifyAcceptance(
      prediction.text,
      isComplete,
      before,
      after
    );
    if (taken) {
      const { action, characters } = taken;
      this.report(prediction, action, { surface: 'ghost', characters });
      if (action === 'accepted') {
        this.placed(cellId, prediction, prediction.text);
      }
    }
  }

  /** A cell is run with this source. */
  ran(cellId: string, source: string | null): void {
    const placed = this._placed.get(cellId);
    this._placed.delete(cellId);
    if (placed && source !== null && source.trim() !== placed.text.trim()) {
      const detail = { characters: source.length };
      this._send(placed.id, { action: 'edited', detail });
    }
  }

  private _send(id: string, feedback: FeedbackRequest): void {
    // What the user does counts more than its record: a failure here is not worth a word.
    this._client.feedback(id, feedback).catch(() => undefined);
  }

  private readonly _seen = new Set<string>();
  private readonly _placed = new Map<string, { id: string; text: string }>();
  private readonly _waiting = new Map<string, (() => void)[]>();
}
