import type { ThemistoClient } from '../api/client';
import type { FeedbackRequest, PredictionView } from '../api/generated';

/** Where a prediction was seen or used. */
export type Surface = 'sidebar' | 'ghost';

/**
 * Tells the server what the user did with predictions: each thing once.
 */
export class Feedback {
  constructor(private readonly _client: Pick<ThemistoClient, 'feedback'>) {}

  report(
    id: string,
    action: FeedbackRequest['action'],
    detail: Record<string, unknown>
  ): void {
    // What the user does counts more than its record: a failure here is not worth a word.
    this._client.feedback(id, { action, detail }).catch(() => undefined);
  }

  /** A prediction was on the screen. */
  seen(id: string, surface: Surface): void {
    const key = `${surface} ${id}`;
    if (!this._seen.has(key)) {
      this._seen.add(key);
      this.report(id, 'shown', { surface });
    }
  }

  /** A prediction is in a cell now: tell later whether it was edited before it was run. */
  placed(cellId: string, prediction: PredictionView, text: string): void {
    this._placed.set(cellId, { id: prediction.id, text });
  }

  /** A cell is run with this source. */
  ran(cellId: string, source: string | null): void {
    const placed = this._placed.get(cellId);
    this._placed.delete(cellId);
    if (placed && source !== null && source.trim() !== placed.text.trim()) {
      this.report(placed.id, 'edited', { characters: source.length });
    }
  }

  private readonly _seen = new Set<string>();
  private readonly _placed = new Map<string, { id: string; text: string }>();
}
