import { MAX_TASK_LENGTH, parseOptions } from '../metadata';

describe('parseOptions', () => {
  const defaults = { enabled: true, task_description: '' };

  it.each([[undefined], [null], ['x'], [[]], [{}], [{ enabled: 'no' }]])(
    'has defaults for %j',
    value => {
      expect(parseOptions(value)).toEqual(defaults);
    }
  );

  it('reads what is there, within its limits', () => {
    expect(
      parseOptions({ enabled: false, task_description: 'Compare.' })
    ).toEqual({ enabled: false, task_description: 'Compare.' });
    const long = 'x'.repeat(MAX_TASK_LENGTH + 1);
    expect(
      parseOptions({ task_description: long }).task_description
    ).toHaveLength(MAX_TASK_LENGTH);
  });
});
