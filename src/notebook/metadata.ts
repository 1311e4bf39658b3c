import type { INotebookModel } from '@jupyterlab/notebook';

import type { INotebookOptions } from '../model/notebook';

/** Where a notebook keeps its own options. */
export const METADATA_KEY = 'themisto';

/** The longest description of a task that the server takes, in characters. */
export const MAX_TASK_LENGTH = 2000;

const DEFAULTS: INotebookOptions = { enabled: true, task_description: '' };

/** Make options of whatever a notebook's metadata hold: a file may come from anywhere. */
export function parseOptions(value: unknown): INotebookOptions {
  const found = (typeof value === 'object' && value ? value : {}) as Record<
    string,
    unknown
  >;
  const { enabled, task_description: task } = found;
  return {
    enabled: typeof enabled === 'boolean' ? enabled : DEFAULTS.enabled,
    task_description:
      typeof task === 'string'
        ? task.slice(0, MAX_TASK_LENGTH)
        : DEFAULTS.task_description
  };
}

/** Read a notebook's options. */
export function readOptions(model: INotebookModel | null): INotebookOptions {
  return parseOptions(model?.getMetadata(METADATA_KEY));
}

/** Write a notebook's options; what equals the default is left out, so that the file stays as it was. */
export function writeOptions(
  model: INotebookModel,
  options: INotebookOptions
): void {
  const { enabled, task_description: task } = options;
  const value = {
    ...(enabled === DEFAULTS.enabled ? {} : { enabled }),
    ...(task === DEFAULTS.task_description ? {} : { task_description: task })
  };
  if (Object.keys(value).length > 0) {
    model.setMetadata(METADATA_KEY, value);
  } else {
    model.deleteMetadata(METADATA_KEY);
  }
}
