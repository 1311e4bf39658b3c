import { ThemistoClient } from '../../api/client';
import { ThemistoEvents } from '../../api/events';
import type { PullView, SettingsView, StatusView } from '../../api/generated';
import {
  failure,
  FakeEvents,
  FakeServer,
  LineStream,
  settle
} from '../../testing/fakeServer';
import { example } from '../../testing/wire';
import { ServerModel } from '../serverModel';
import { DEFAULT_SETTINGS, SettingsModel } from '../settingsModel';

/** Settings that the test changes as the user would. */
class FakeSettings extends SettingsModel {
  override get chosen(): Partial<SettingsView> {
    return this.current;
  }

  choose(model: string): void {
    this.current = { model };
    this.emitChanged();
  }

  current: Partial<SettingsView> = {};
}

describe('ServerModel', () => {
  const name = 'local/qwen2.5-coder-0.5b';
  const route = 'pulls/local%2Fqwen2.5-coder-0.5b';
  let server: FakeServer;
  let events: FakeEvents;
  let settings: FakeSettings;
  let model: ServerModel;
  let status: StatusView;

  beforeEach(() => {
    server = new FakeServer();
    events = new FakeEvents();
    settings = new FakeSettings();
    status = example('StatusView');
    server.on('GET status', () => Response.json(status));
    server.on('PUT settings', ({ body }) =>
      Response.json({ ...DEFAULT_SETTINGS, ...(body as Partial<SettingsView>) })
    );
    model = new ServerModel(
      new ThemistoClient(server.settings),
      new ThemistoEvents(events),
      settings
    );
  });

  afterEach(() => model.dispose());

  it('knows the model and the store', async () => {
    await model.refresh();
    expect(model.model?.state).toBe('missing');
    expect(model.store?.size_bytes).toBe(3_100_000);
    expect(model.trouble).toBeNull();
  });

  it('tells one trouble: the connection before what the server says', async () => {
    status.trouble = example('ErrorView');
    await model.refresh();
    expect(model.trouble?.code).toBe('model_key_refused');
    server.on('GET status', () => {
      throw new TypeError('Failed to fetch');
    });
    await model.refresh();
    expect(model.trouble?.code).toBe('unreachable');
    server.on('GET status', () => Response.json(status));
    await model.refresh();
    expect(model.trouble?.code).toBe('model_key_refused');
  });

  it('takes a model that is not here for a question, not for trouble', async () => {
    status.trouble = { code: 'model_missing', message: 'Pull it.' };
    await model.refresh();
    expect(model.trouble).toBeNull();
  });

  it('sends the settings when they change, in order, and only then', async () => {
    settings.choose('echo');
    settings.choose('echo');
    settings.choose('baseline/repeat');
    await settle(20);
    expect(server.sent('PUT settings').map(({ body }) => body)).toEqual([
      { model: 'echo' },
      { model: 'baseline/repeat' }
    ]);
    expect(settings.view).toEqual({
      ...DEFAULT_SETTINGS,
      model: 'baseline/repeat'
    });
  });

  it('says what is wrong with a setting', async () => {
    server.on('PUT settings', () =>
      failure(400, 'model_unknown', 'No such model.')
    );
    settings.choose('nonsense');
    await settle(20);
    expect(model.trouble?.message).toBe('No such model.');
  });

  it('follows a fetch to its end, then looks again', async () => {
    const pull = example('PullView');
    const stream = new LineStream();
    server.on('POST pulls', pull);
    server.on(`GET ${route}/stream`, () => stream.response);
    const done = model.pull.start(name);
    await settle();
    expect(model.pull.isRunning).toBe(true);
    stream.send({ ...pull, done_bytes: 200_000_000 });
    await settle();
    expect(model.pull.view?.done_bytes).toBe(200_000_000);
    stream.send({ ...pull, state: 'done' } satisfies PullView);
    stream.end();
    await done;
    expect(model.pull.isRunning).toBe(false);
    await settle(400);
    expect(server.sent('GET status').length).toBeGreaterThan(0);
  });

  it('joins a fetch that somebody else started, without starting one', async () => {
    status.model = { ...status.model, state: 'pulling' };
    const stream = new LineStream();
    server.on(`GET ${route}/stream`, () => stream.response);
    await model.refresh();
    await settle();
    stream.send(example('PullView'));
    await settle();
    expect(model.pull.view?.total_bytes).toBe(491_400_064);
    expect(server.sent('POST pulls')).toEqual([]);
    stream.end();
    await settle();
  });

  it('tells why a fetch failed, and cancels one', async () => {
    server.on('POST pulls', () =>
      failure(502, 'download_failed', 'No source could be reached.')
    );
    await model.pull.start(name);
    expect(model.pull.error?.message).toBe('No source could be reached.');

    const stream = new LineStream();
    server.on('POST pulls', example('PullView'));
    server.on(`GET ${route}/stream`, () => stream.response);
    server.on(`DELETE ${route}`, () => new Response(null, { status: 204 }));
    void model.pull.start(name);
    await settle();
    expect(model.pull.error).toBeNull();
    await model.pull.cancel();
    expect(server.sent(`DELETE ${route}`)).toHaveLength(1);
    stream.end();
    await settle();
  });

  it('counts what would be erased without looking again, and erases', async () => {
    server.on('POST store/forget', example('ForgetView'));
    const view = await model.forget({ everything: true, dry_run: true });
    expect(view.n_steps).toBe(42);
    expect(server.sent('GET status')).toHaveLength(0);
    await model.forget({ everything: true });
    expect(server.sent('GET status')).toHaveLength(1);
  });

  it('looks again when a model comes or goes', async () => {
    for (let i = 0; i < 20; i++) {
      events.emit('model', { name, action: 'pulled' });
    }
    await settle(700);
    const nLooks = server.sent('GET status').length;
    expect(nLooks).toBeGreaterThan(0);
    expect(nLooks).toBeLessThanOrEqual(2);
  });
});
