import { expect, test } from '@playwright/test';

import { editorOf, ghostOf, IMAGES, panelOf, sectionOf } from './helpers';

const baseURL = process.env.TARGET_URL ?? 'http://localhost:8888';

const NOTEBOOK = {
  cells: ['x = 6', 'print(x * 7)', ''].map((source, index) => ({
    id: `cell-${index}`,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  })),
  metadata: {
    kernelspec: {
      name: 'python3',
      display_name: 'Python 3',
      language: 'python'
    }
  },
  nbformat: 4,
  nbformat_minor: 5
};

test('Notebook 7 has the panel, the ghost text and the forecast', async ({
  page,
  request
}) => {
  const saved = await request.put(`${baseURL}/api/contents/seven.ipynb`, {
    data: { type: 'notebook', format: 'json', content: NOTEBOOK }
  });
  expect(saved.ok()).toBeTruthy();
  await page.goto(`${baseURL}/notebooks/seven.ipynb`);
  await editorOf(page, 0).click();
  await page.keyboard.press('Alt+Shift+P');
  await expect(panelOf(page)).toBeVisible();

  await editorOf(page, 0).click();
  await page.keyboard.press('Shift+Enter');
  await expect(page.locator('.jp-InputArea-prompt').first()).toHaveText('[1]:');
  await editorOf(page, 1).click();
  const output = sectionOf(page, /^Output/);
  await expect(output.getByLabel('Forecast of the output')).toBeVisible();
  await expect(
    output.locator('.themisto-Section-content > .themisto-Reason')
  ).not.toHaveText('thinking');
  await page.keyboard.press('Shift+Enter');
  await expect(output.locator('summary')).toContainText(/as predicted|differs/);

  const nextCell = sectionOf(page, 'Next cell');
  await expect(nextCell.getByLabel('Predicted next cell')).not.toHaveText('');
  await editorOf(page, 2).click();
  await expect(ghostOf(page).first()).toBeVisible();
  await page.screenshot({ path: `${IMAGES}/notebook7.png` });
});
