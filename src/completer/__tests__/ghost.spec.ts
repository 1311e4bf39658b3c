import type { IInlineCompletionContext } from '@jupyterlab/completer';
import { CommandRegistry } from '@lumino/commands';
import type { Widget } from '@lumino/widgets';

import { ThemistoClient } from '../../api/client';
import { ThemistoEvents } from '../../api/events';
import type { PredictionView } from '../../api/generated';
import { firstWord } from '../../model/ghostText';
import { NotebookModel } from '../../model/notebookModel';
import { SettingsModel } from '../../model/settingsModel';
import { FakeNotebook } from '../../testing/fakeNotebook';
import {
  FakeEvents,
  FakeServer,
  LineStream,
  settle
} from '../../testing/fakeServer';
import { example } from '../../testing/wire';
import { acceptPart } from '../acceptPart';
import { AcceptanceWatcher } from '../acceptanceWatcher';
import { GhostTrigger } from '../ghostTrigger';
import { InlineProvider } from '../inlineProvider';

const ready: PredictionView = {
  ...example('PredictionView'),
  id: 'p1',
  text: 'df.head()\nprint(1)'
};

/** What the completer says when it looks because of a key. */
const AUTOMATIC: IInlineCompletionContext['triggerKind'] = 1;

let server: FakeServer;
let notebook: FakeNotebook;
let model: NotebookModel;
let provider: InlineProvider;

beforeEach(() => {
  server = new FakeServer();
  model = new NotebookModel(
    new ThemistoClient(server.settings),
    new ThemistoEvents(new FakeEvents()),
    new SettingsModel()
  );
  notebook = new FakeNotebook();
  model.notebook = notebook;
  provider = new InlineProvider(model);
});

afterEach(() => model.dispose());

/** Let a prediction come line by line. */
async function stream(): Promise<LineStream> {
  const lines = new LineStream();
  server.on('GET predictions/p1/stream', () => lines.response);
  const client = new ThemistoClient(server.settings);
  void model.nextCell.follow(signal => client.followPrediction('p1', signal));
  await settle();
  const running = { ...ready, text: '', status: 'running' };
  lines.send({ type: 'state', id: 'p1', text: '', prediction: running });
  await settle();
  return lines;
}

async function offered(
  text: string,
  offset = text.length,
  widgetId = notebook.id
): Promise<(string | boolean | undefined)[]> {
  const context: IInlineCompletionContext = {
    widget: { id: widgetId } as Widget,
    triggerKind: AUTOMATIC
  };
  const request = { text, offset, mimeType: 'text/x-ipython' };
  const { items } = await provider.fetch(request, context);
  return items.flatMap(item => [item.insertText, item.isIncomplete]);
}

describe('InlineProvider', () => {
  it('offers the whole next cell in an empty cell', async () => {
    model.nextCell.set(ready);
    notebook.goTo('a', '');
    expect(await offered('')).toEqual([ready.text, undefined]);
  });

  it('offers the rest where its beginning is typed, in characters as the request counts', async () => {
    model.nextCell.set({ ...ready, text: 's = "🙂🙂"\nprint(s)' });
    notebook.goTo('a', 's = "🙂');
    expect(await offered('s = "🙂', 6)).toEqual(['🙂"\nprint(s)', undefined]);
  });

  it.each([
    ['in another notebook', '', 'other', ''],
    ['for a text that the cell does not hold any more', 'd', 'notebook-1', 'df']
  ])('offers nothing %s', async (_, requested, widgetId, source) => {
    model.nextCell.set(ready);
    notebook.goTo('a', source);
    expect(await offered(requested, requested.length, widgetId)).toEqual([]);
  });

  it('offers nothing outside of code cells, and nothing without a prediction', async () => {
    model.nextCell.set(ready);
    expect(await offered('')).toEqual([]);
    notebook.goTo('a', '');
    model.nextCell.set(null);
    expect(await offered('')).toEqual([]);
  });

  it('asks the server for nothing, however much is typed', async () => {
    model.nextCell.set(ready);
    notebook.goTo('a', '');
    await offered('');
    await settle();
    const before = server.requests.length;
    for (let i = 0; i < 30; i++) {
      const text = 'x'.repeat(i);
      notebook.goTo('a', text);
      await offered(text);
    }
    expect(server.requests.length).toBe(before);
  });

  it('offers nothing before there is text, so that Tab indents', async () => {
    await stream();
    notebook.goTo('a', '');
    expect(await offered('')).toEqual([]);
  });

  it('grows with the prediction, each time with the whole text', async () => {
    const lines = await stream();
    notebook.goTo('a', '');
    lines.send({ type: 'text', id: 'p1', text: 'df.' });
    await settle();
    expect(await offered('')).toEqual(['df.', true]);
    const grown: unknown[] = [];
    const done = (async () => {
      for await (const { response } of provider.stream('p1')) {
        grown.push([response.insertText, response.isIncomplete]);
      }
    })();
    await settle();
    lines.send({ type: 'text', id: 'p1', text: 'df.head()' });
    await settle();
    lines.send({
      type: 'state',
      id: 'p1',
      text: ready.text,
      prediction: ready
    });
    lines.end();
    await done;
    expect(grown).toEqual([
      ['df.', true],
      ['df.head()', true],
      [ready.text, false]
    ]);
  });

  it('stops growing as soon as something is typed: what is typed stays', async () => {
    const lines = await stream();
    notebook.goTo('a', '');
    lines.send({ type: 'text', id: 'p1', text: 'df.' });
    await settle();
    await offered('');
    const grown: string[] = [];
    const done = (async () => {
      for await (const { response } of provider.stream('p1')) {
        grown.push(response.insertText);
      }
    })();
    await settle();
    notebook.goTo('a', 'x');
    lines.send({ type: 'text', id: 'p1', text: 'df.head()' });
    await done;
    expect(grown).toEqual(['df.']);
  });
});

describe('GhostTrigger', () => {
  let invoke: jest.Mock;
  let trigger: GhostTrigger;

  beforeEach(() => {
    invoke = jest.fn(() => offered(notebook.focus?.source ?? ''));
    const options = { model, offered: () => provider.offered, invoke };
    trigger = new GhostTrigger(options);
  });

  afterEach(() => trigger.dispose());

  it('shows a suggestion in an empty cell that gets the focus', async () => {
    model.nextCell.set(ready);
    notebook.goTo('a', '');
    await settle(150);
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  it('shows one that comes while the cell is empty', async () => {
    notebook.goTo('a', '');
    await settle(150);
    expect(invoke).not.toHaveBeenCalled();
    model.nextCell.set(ready);
    await settle(150);
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  it('does not show it again in that cell, so that waving it away works', async () => {
    model.nextCell.set(ready);
    notebook.goTo('a', '');
    await settle(150);
    notebook.focusChanged.emit();
    notebook.goTo('a', 'x');
    notebook.goTo('a', '');
    await settle(150);
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  it('stays away from cells that hold something else or are not edited', async () => {
    model.nextCell.set(ready);
    notebook.goTo('a', 'x = 1');
    notebook.isEditing = false;
    notebook.goTo('b', '');
    await settle(150);
    expect(invoke).not.toHaveBeenCalled();
  });

  it('tries again where the completer was not there yet, but not for ever', async () => {
    invoke.mockImplementation(() => undefined);
    model.nextCell.set(ready);
    notebook.goTo('a', '');
    await settle(700);
    expect(invoke).toHaveBeenCalledTimes(4);
  });
});

describe('acceptance', () => {
  let commands: CommandRegistry;
  let watcher: AcceptanceWatcher;

  const feedback = (): unknown[] =>
    server
      .sent('POST predictions/p1/feedback')
      .map(({ body }) => body)
      .filter(body => (body as { action: string }).action !== 'shown');

  beforeEach(() => {
    commands = new CommandRegistry();
    commands.addCommand('inline-completer:accept', {
      execute: () => notebook.type(ready.text)
    });
    commands.addCommand('other', { execute: () => notebook.type(ready.text) });
    watcher = new AcceptanceWatcher(commands, model, () => provider.offered);
    model.nextCell.set(ready);
    notebook.goTo('a', '');
  });

  afterEach(() => watcher.dispose());

  it('is told when the whole text is taken', async () => {
    await offered('');
    await commands.execute('inline-completer:accept');
    await settle();
    expect(feedback()).toEqual([
      { action: 'accepted', detail: { surface: 'ghost', characters: 18 } }
    ]);
  });

  it('is not told of other commands, or of what others suggested', async () => {
    await commands.execute('inline-completer:accept');
    notebook.goTo('a', '');
    await offered('');
    await commands.execute('other');
    notebook.goTo('b', '');
    await commands.execute('inline-completer:accept');
    await settle();
    expect(feedback()).toEqual([]);
  });

  it('is told in part when one word is taken', async () => {
    expect(acceptPart(model, firstWord)).toBe(true);
    await settle();
    expect(notebook.focus?.source).toBe('df');
    expect(feedback()).toEqual([
      { action: 'accepted_part', detail: { surface: 'ghost', characters: 2 } }
    ]);
  });

  it('takes nothing where there is nothing to take', () => {
    notebook.goTo('a', 'something else');
    expect(acceptPart(model, firstWord)).toBe(false);
    expect(notebook.focus?.source).toBe('something else');
  });
});
