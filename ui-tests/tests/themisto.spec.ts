import { execFileSync } from 'child_process';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import {
  editorOf,
  focusCell,
  ghostOf,
  IMAGES,
  openLab,
  openNotebook,
  panelOf,
  sectionOf
} from './helpers';

// Real kernels and sessions: galata's mocks would hide restarts.
test.use({ kernels: null, sessions: null, autoGoto: false });

test.beforeEach(async ({ page }) => {
  await openLab(page);
});

const CELLS = [
  'import pandas as pd\nfrom sklearn.datasets import load_wine',
  'wine = load_wine(as_frame=True)\ndf = wine.frame\ndf.shape',
  "df['target'].value_counts().sort_index()"
];

/** Run cells and wait for the whole prediction of the next one. */
async function runAndWait(
  page: IJupyterLabPageFixture,
  indices: number[]
): Promise<string> {
  for (const index of indices) {
    await page.notebook.runCell(index, true);
  }
  const nextCell = sectionOf(page, 'Next cell');
  const code = nextCell.getByLabel('Predicted next cell');
  await expect(code).not.toHaveText('');
  await expect(
    nextCell.locator('.themisto-Section-content > .themisto-Reason')
  ).not.toHaveText('thinking');
  return ((await code.textContent()) ?? '').trim();
}

/** A cell's own text, without what is shown as ghost text. */
async function textOf(
  page: IJupyterLabPageFixture,
  index: number
): Promise<string> {
  const lines = await editorOf(page, index)
    .locator('.cm-line')
    .evaluateAll(nodes =>
      nodes.map(node => {
        const copy = node.cloneNode(true) as HTMLElement;
        copy.querySelectorAll('.jp-GhostText').forEach(ghost => ghost.remove());
        return copy.textContent ?? '';
      })
    );
  return lines.join('\n').trim();
}

/** What the store's file itself holds, read by another program. */
function stored(): any {
  const program = `
import json, os, sqlite3
c = sqlite3.connect(os.environ["THEMISTO_TEST_STORE"])
c.row_factory = sqlite3.Row
print(json.dumps({
    "steps": c.execute("select count(*) from steps").fetchone()[0],
    "scored": [dict(r) for r in c.execute(
        "select id, task, predictor, arm, shown, status, stored_at, target_index from predictions where status = 'scored'")],
    "targets": c.execute("select count(*) from targets").fetchone()[0],
    "scores": [dict(r) for r in c.execute("select prediction_id, metric, value from scores")],
}, default=str))
`;
  return JSON.parse(execFileSync('python', ['-c', program]).toString());
}

test.describe('A session with the embedded model', () => {
  test('next cell, insertion, forecast, truth, and the record of it', async ({
    page
  }) => {
    await openNotebook(page, CELLS);
    const panel = panelOf(page);
    const nextCell = sectionOf(page, 'Next cell');
    await expect(nextCell).toContainText(
      'Run a cell and the next one is predicted here.'
    );

    // Run two cells: a next cell is written out.
    await page.notebook.runCell(0, true);
    await page.notebook.runCell(1, true);
    const code = panel.getByLabel('Predicted next cell');
    await expect(code).toBeVisible();
    await expect(
      nextCell.locator('.themisto-Section-content > .themisto-Reason')
    ).not.toHaveText('thinking');
    await expect(code).not.toHaveText('');
    const predicted = ((await code.textContent()) ?? '').trim();
    expect(predicted.length).toBeGreaterThan(2);

    // Insert it: a cell below, not run; one undo takes it back, one redo brings it again.
    const nBefore = await page.notebook.getCellCount();
    await nextCell.getByRole('button', { name: 'Insert below' }).click();
    await expect.poll(() => page.notebook.getCellCount()).toBe(nBefore + 1);
    await page.menu.clickMenuItem('Edit>Undo Cell Operation');
    await expect.poll(() => page.notebook.getCellCount()).toBe(nBefore);
    await page.menu.clickMenuItem('Edit>Redo Cell Operation');
    await expect.poll(() => page.notebook.getCellCount()).toBe(nBefore + 1);
    const inserted = await page.notebook.getCellTextInput(2);
    expect((inserted ?? '').trim()).toBe(predicted);

    // Run what was inserted: the prediction came true.
    await page.notebook.runCell(2, true);
    await expect(
      nextCell.locator('summary', { hasText: 'The one before' })
    ).toContainText('as predicted');

    // Pause in a cell: its output is forecast before the run, and the truth stands beside it after.
    await focusCell(page, 3);
    const output = sectionOf(page, /^Output/);
    const forecast = output.getByLabel('Forecast of the output');
    await expect(forecast).toBeVisible();
    await expect(
      output.locator('.themisto-Section-content > .themisto-Reason')
    ).toHaveText("state · the kernel's state tells it");
    await panel.screenshot({ path: `${IMAGES}/forecast.png` });
    await page.notebook.runCell(3, true);
    await expect(output.locator('summary')).toContainText('as predicted');
    await panel.screenshot({ path: `${IMAGES}/forecast-truth.png` });

    // The record, read from its file: frozen predictions, targets and scores.
    await expect.poll(() => stored().steps).toBeGreaterThanOrEqual(4);
    const record = stored();
    const shown = record.scored.filter(
      (row: any) => row.shown && /^(local|rule)\//.test(row.predictor)
    );
    expect(shown.map((row: any) => `${row.task} ${row.predictor}`)).toEqual(
      expect.arrayContaining([
        'next_cell local/qwen2.5-coder-0.5b',
        'cell_output rule/known-output'
      ])
    );
    for (const row of shown) {
      expect(row.stored_at).not.toBeNull();
      const metrics = record.scores
        .filter((score: any) => score.prediction_id === row.id)
        .map((score: any) => score.metric);
      expect(metrics).toEqual(
        expect.arrayContaining(['exact_match', 'rouge_l', 'chrf'])
      );
    }
    expect(record.targets).toBeGreaterThan(2);
    await expect(sectionOf(page, 'Scores')).toContainText(/\d+ steps/);
  });

  test('the panel in both themes, narrow and wide', async ({ page }) => {
    await openNotebook(page, CELLS);
    for (const index of [0, 1, 2]) {
      await page.notebook.runCell(index, true);
    }
    const panel = panelOf(page);
    await expect(panel.getByLabel('Predicted next cell')).not.toHaveText('');
    await expect(
      sectionOf(page, 'Next cell').locator(
        '.themisto-Section-content > .themisto-Reason'
      )
    ).not.toHaveText('thinking');
    await page.screenshot({ path: `${IMAGES}/sidebar-light.png` });
    await page.theme.setDarkTheme();
    await page.screenshot({ path: `${IMAGES}/sidebar-dark.png` });
    await page.theme.setLightTheme();
    for (const heading of ['Trajectory', 'State', 'Sent']) {
      await panel.getByRole('button', { name: heading }).click();
    }
    await expect(sectionOf(page, 'Sent')).toContainText('# %%');
    await panel.screenshot({ path: `${IMAGES}/details.png` });

    // Nothing may stick out, at the narrowest width too.
    const sticksOut = await panel.evaluate(node => {
      const box = node.getBoundingClientRect();
      return [...node.querySelectorAll('button, h2, h3, .themisto-Reason')]
        .filter(child => child.getBoundingClientRect().right > box.right + 1)
        .map(child => child.textContent);
    });
    expect(sticksOut).toEqual([]);
  });
});

test.describe('Ghost text', () => {
  test('shows in an empty cell, and Tab accepts it', async ({ page }) => {
    await openNotebook(page, [...CELLS.slice(0, 2), '']);
    const predicted = await runAndWait(page, [0, 1]);
    await focusCell(page, 2);
    await expect(ghostOf(page).first()).toBeVisible();
    await page.screenshot({ path: `${IMAGES}/ghost-text.png` });
    await page.keyboard.press('Tab');
    await expect.poll(() => textOf(page, 2)).toBe(predicted);
  });

  test('follows what is typed, and never writes over it', async ({ page }) => {
    await openNotebook(page, [...CELLS.slice(0, 2), '']);
    const predicted = await runAndWait(page, [0, 1]);
    await focusCell(page, 2);
    await expect(ghostOf(page).first()).toBeVisible();
    await page.keyboard.type('zz');
    await expect(ghostOf(page)).toHaveCount(0);
    expect(await textOf(page, 2)).toBe('zz');
    expect(predicted).not.toContain('zz');
  });

  test('Tab indents where nothing is suggested', async ({ page }) => {
    await openNotebook(page, ['']);
    await focusCell(page, 0);
    // Galata has just pressed Escape, after which the editor lets the first Tab leave it; any other key ends that.
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Tab');
    await page.keyboard.type('x');
    await expect(editorOf(page, 0)).toHaveText('    x', { useInnerText: true });
  });
});
