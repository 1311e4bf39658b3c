import type { Observable } from './observable';

/** Wait until a model changes. */
export function nextChange(model: Observable): Promise<void> {
  return new Promise(resolve => {
    const onChanged = (): void => {
      model.changed.disconnect(onChanged);
      resolve();
    };
    model.changed.connect(onChanged);
  });
}
