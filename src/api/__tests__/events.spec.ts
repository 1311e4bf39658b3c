import { FakeEvents } from '../../testing/fakeServer';
import { ThemistoEvents } from '../events';

describe('ThemistoEvents', () => {
  const run = {
    kernel_id: 'k',
    trajectory_id: 't',
    action: 'finished',
    step_index: 3
  };

  it('tells each kind by its schema, and nothing else', () => {
    const source = new FakeEvents();
    const events = new ThemistoEvents(source);
    const heard: string[] = [];
    events.run.connect((_, event) => heard.push(`run ${event.step_index}`));
    events.life.connect((_, event) => heard.push(`life ${event.action}`));
    events.prediction.connect((_, { action }) => heard.push(action));
    events.model.connect((_, event) => heard.push(`model ${event.name}`));

    source.emit('run', run);
    source.emit('life', { ...run, action: 'ended' });
    source.emit('prediction', { prediction_id: 'p', action: 'ready' });
    source.emit('model', { name: 'm', action: 'pulled' });
    source.emit('other', run);
    source.stream.emit({ schema_id: 'https://events.jupyter.org/x/v1' });
    expect(heard).toEqual(['run 3', 'life ended', 'ready', 'model m']);
  });

  it('hears nothing after it is disposed', () => {
    const source = new FakeEvents();
    const events = new ThemistoEvents(source);
    const heard = jest.fn();
    events.run.connect(heard);
    source.emit('run', run);
    events.dispose();
    source.emit('run', run);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(events.isDisposed).toBe(true);
  });
});
