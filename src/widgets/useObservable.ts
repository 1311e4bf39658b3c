import { useEffect, useReducer } from 'react';

import type { Observable } from '../model/observable';

/** Draw a component again whenever one of its models changed. */
export function useObservable(...models: Observable[]): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    for (const model of models) {
      model.changed.connect(redraw);
    }
    return () => {
      for (const model of models) {
        model.changed.disconnect(redraw);
      }
    };
    // The models are the same ones as long as the page lives.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, models);
}
