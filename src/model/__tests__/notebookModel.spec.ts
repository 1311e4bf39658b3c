import { ThemistoClient } from '../../api/client';
import { ThemistoEvents } from '../../api/events';
import type { KernelView, PredictionView } from '../../api/generated';
import { FakeNotebook } from '../../testing/fakeNotebook';
import {
  failure,
  FakeEvents,
  FakeServer,
  LineStream,
  settle
} from '../../testing/fakeServer';
import { example } from '../../testing/wire';
import { PAUSE_MS } from '../forecaster';
import { NotebookModel } from '../notebookModel';
import { SettingsModel } from '../settingsModel';

const POLL_MS = 300;

describe('NotebookModel', () => {
  const ready = example('PredictionView');
  let server: FakeServer;
  let events: FakeEvents;
  let notebook: FakeNotebook;
  let model: NotebookModel;
  let kernel: KernelView;

  const running = (id: string): PredictionView => ({
    ...ready,
    id,
    text: '',
    status: 'running',
    latency_s: null
  });
  const stateLine = (prediction: PredictionView): object => ({
    type: 'state',
    id: prediction.id,
    text: prediction.text,
    prediction
  });
  const started = (id: string, kernelId = 'k'): void =>
    events.emit('prediction', {
      prediction_id: id,
      kernel_id: kernelId,
      task: 'next_cell',
      cell_id: null,
      shown: true,
      action: 'started'
    });
  const run = (action: string, kernelId = 'k'): void =>
    events.emit('run', {
      kernel_id: kernelId,
      trajectory_id: 't',
      action,
      step_index: null
    });
  const feedback = (id: string): unknown[] =>
    server.sent(`POST predictions/${id}/feedback`).map(({ body }) => body);

  beforeEach(async () => {
    server = new FakeServer();
    events = new FakeEvents();
    kernel = { ...example('KernelView'), last_output: null };
    server.on('GET kernels/k', () => Response.json(kernel));
    server.on('PUT kernels/k/notebook', () => Response.json(kernel));
    server.on('GET scores?kernel_id=k', example('ScoresView'));
    model = new NotebookModel(
      new ThemistoClient(server.settings),
      new ThemistoEvents(events),
      new SettingsModel()
    );
    notebook = new FakeNotebook();
    model.notebook = notebook;
    await settle();
  });

  afterEach(() => model.dispose());

  it('shows what the server knows of the kernel', () => {
    expect(model.nextCell.visible).toEqual(ready);
    expect(model.kernel.scores?.n_steps).toBe(42);
    expect(model.offer?.id).toBe(ready.id);
  });

  it("sends the notebook's options for each life of the kernel, and when they change", async () => {
    const sent = (): unknown[] =>
      server.sent('PUT kernels/k/notebook').map(({ body }) => body);
    expect(sent()).toEqual([{ enabled: true, task_description: '' }]);
    model.setOptions({ task_description: 'Compare.' });
    kernel = { ...kernel, trajectory_id: 'next' };
    await model.kernel.refresh();
    await settle();
    expect(sent()).toEqual([
      { enabled: true, task_description: '' },
      { enabled: true, task_description: 'Compare.' },
      { enabled: true, task_description: 'Compare.' }
    ]);
  });

  it('shows a prediction as it grows when its event comes', async () => {
    const stream = new LineStream();
    server.on('GET predictions/p2/stream', () => stream.response);
    started('p2');
    await settle();
    stream.send(stateLine(running('p2')));
    stream.send({ type: 'text', id: 'p2', text: 'df.' });
    await settle();
    expect(model.nextCell.view).toMatchObject({ id: 'p2', text: 'df.' });
    expect(model.offer?.id).toBe('p2');
  });

  it('drops the events of other kernels', async () => {
    started('p2', 'other');
    run('started', 'other');
    await settle();
    expect(server.sent('GET predictions/p2/stream')).toEqual([]);
    expect(model.isBusy).toBe(false);
    expect(model.offer?.id).toBe(ready.id);
  });

  it('offers nothing that was meant for the cell that runs now', async () => {
    notebook.goTo('a', 'x');
    notebook.runScheduled.emit('a');
    expect(model.offer).toBeNull();
    expect(model.nextCell.visible?.id).toBe(ready.id);
    expect(model.isBusy).toBe(true);
    notebook.runDone.emit({ cellId: 'a', success: true });
    expect(model.isBusy).toBe(false);
    expect(model.offer).toBeNull();
  });

  it('drops a reply about a kernel that is not shown any more', async () => {
    let answer: (response: Response) => void = () => undefined;
    server.on(
      'GET kernels/k',
      () =>
        new Promise<Response>(resolve => {
          answer = resolve;
        })
    );
    const late = model.kernel.refresh();
    await settle();
    notebook.kernelId = 'k2';
    notebook.kernelChanged.emit();
    answer(Response.json(kernel));
    await late;
    expect(model.kernel.view).toBeNull();
    expect(model.nextCell.view).toBeNull();
  });

  it('forecasts the output of a cell after a pause', async () => {
    let stream = new LineStream();
    server.on('POST predictions', ({ signal }) => {
      stream = new LineStream(signal);
      return stream.response;
    });
    notebook.goTo('a', 'print(1)');
    await settle(PAUSE_MS + 100);
    expect(server.sent('POST predictions')[0].body).toEqual({
      task: 'cell_output',
      kernel_id: 'k',
      cell_id: 'a',
      code: 'print(1)',
      trigger: 'pause'
    });
    const view = { ...running('o'), cell_id: 'a', text: '1' };
    stream.send(stateLine(view));
    await settle();
    expect(model.visibleOutput?.text).toBe('1');
    notebook.goTo('b', '');
    expect(model.visibleOutput).toBeNull();
    expect(stream.isCancelled).toBe(true);
  });

  it('shows no forecast of a text that is another one now', async () => {
    model.output.set({ ...ready, cell_id: 'a' });
    notebook.goTo('a', 'print(1)');
    notebook.goTo('a', 'print(12)');
    expect(model.visibleOutput).toBeNull();
  });

  it('forecasts and offers nothing for a notebook that is paused', async () => {
    notebook.setOptions({ enabled: false, task_description: '' });
    notebook.goTo('a', 'print(1)');
    await settle(PAUSE_MS + 100);
    expect(server.sent('POST predictions')).toEqual([]);
    expect(model.offer).toBeNull();
  });

  it('asks once and then backs off where a model refuses', async () => {
    server.on('POST predictions', () =>
      failure(502, 'model_key_refused', 'The key for openai was refused.')
    );
    notebook.goTo('a', 'print(1)');
    await settle(PAUSE_MS + 100);
    expect(model.output.error?.code).toBe('model_key_refused');
    notebook.goTo('a', 'print(2)');
    await settle(PAUSE_MS + 100);
    expect(server.sent('POST predictions')).toHaveLength(1);
  });

  it('asks for the next cell with the cell below', async () => {
    const stream = new LineStream();
    server.on('POST predictions', () => stream.response);
    notebook.below = 'print(2)';
    const done = model.predictNextCell();
    await settle();
    stream.send(stateLine({ ...ready, id: 'p3', text: 'y' }));
    stream.end();
    await done;
    expect(server.sent('POST predictions')[0].body).toEqual({
      task: 'next_cell',
      kernel_id: 'k',
      below: 'print(2)',
      trigger: 'ask'
    });
    expect(model.nextCell.view?.text).toBe('y');
  });

  it('makes few looks of many events, and the last one counts', async () => {
    const before = server.sent('GET kernels/k').length;
    for (let i = 0; i < 200; i++) {
      run('started');
      run('finished');
    }
    await settle(2 * POLL_MS);
    expect(server.sent('GET kernels/k').length - before).toBeLessThanOrEqual(2);
    expect(server.sent('GET kernels/k').length).toBeGreaterThan(before);
  });

  it('inserts, and tells whether that was edited before it was run', async () => {
    model.insertBelow();
    expect(notebook.cells.get('inserted')).toBe(ready.text);
    notebook.cells.set('inserted', 'something else');
    notebook.runScheduled.emit('inserted');
    await settle();
    expect(feedback(ready.id)).toEqual([
      { action: 'inserted', detail: { surface: 'sidebar' } },
      { action: 'edited', detail: { characters: 14 } }
    ]);
  });

  it('tells of nothing edited where it was run as it was', async () => {
    notebook.goTo('a', 'old');
    model.replace();
    notebook.runScheduled.emit('a');
    await settle();
    expect(feedback(ready.id)).toEqual([
      { action: 'replaced', detail: { surface: 'sidebar' } }
    ]);
  });

  it('waves a prediction away, once', async () => {
    model.dismiss();
    model.dismiss();
    expect(model.nextCell.visible).toBeNull();
    expect(model.offer).toBeNull();
    await settle();
    expect(feedback(ready.id)).toHaveLength(1);
  });

  it('tells that one was shown once, and only when the server has it', async () => {
    const view = running('p4');
    model.feedback.seen(view, 'ghost');
    model.feedback.seen(view, 'ghost');
    await settle();
    expect(feedback('p4')).toEqual([]);
    events.emit('prediction', {
      prediction_id: 'p4',
      kernel_id: 'k',
      task: 'next_cell',
      cell_id: null,
      shown: true,
      action: 'ready'
    });
    await settle();
    expect(feedback('p4')).toEqual([
      { action: 'shown', detail: { surface: 'ghost' } }
    ]);
  });
});
