import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator, Page } from '@playwright/test';

/** Where the screenshots of the documentation go. */
export const IMAGES = '../docs/images';

/** Open JupyterLab. */
export async function openLab(page: IJupyterLabPageFixture): Promise<void> {
  // Galata answers everything that ends in api/settings itself; ours are for our server.
  await page.route(/\/themisto\/api\//, route => route.continue());
  await page.goto();
}

/** The side panel. */
export function panelOf(page: Page): Locator {
  return page.locator('#themisto-lab-panel');
}

/** A section of the side panel, by its heading. */
export function sectionOf(page: Page, heading: string | RegExp): Locator {
  return panelOf(page)
    .locator('section')
    .filter({ has: page.getByRole('button', { name: heading }) });
}

/** Make a notebook with these cells and show the side panel beside it. */
export async function openNotebook(
  page: IJupyterLabPageFixture,
  cells: string[]
): Promise<void> {
  await page.notebook.createNew();
  await page.notebook.setCell(0, 'code', cells[0] ?? '');
  for (const source of cells.slice(1)) {
    await page.notebook.addCell('code', source);
  }
  await showPanel(page);
}

/** Show the side panel, wherever it is. */
export async function showPanel(page: IJupyterLabPageFixture): Promise<void> {
  if (!(await panelOf(page).isVisible())) {
    await page.getByRole('tab', { name: /Themisto/ }).click();
  }
  await expect(panelOf(page)).toBeVisible();
}

/** The editor of a cell. */
export function editorOf(page: Page, index: number): Locator {
  return page
    .locator('.jp-NotebookPanel:visible .jp-Cell')
    .nth(index)
    .locator('.cm-content');
}

/** Put the cursor into a cell. */
export async function focusCell(page: Page, index: number): Promise<void> {
  await editorOf(page, index).click();
  await expect(editorOf(page, index)).toBeFocused();
  // Keys that come before the notebook has changed its mode are commands, not text.
  await expect(
    page.locator('.jp-NotebookPanel:visible .jp-Notebook.jp-mod-editMode')
  ).toBeVisible();
}

/** Ghost text that can be seen: JupyterLab leaves an invisible spacer for a moment where one was. */
export function ghostOf(page: Page): Locator {
  return page.locator(
    '.jp-GhostText:not(.jp-GhostText-letterSpacer):not(.jp-GhostText-lineSpacer)'
  );
}

/** Call a route of the server extension. */
export async function api(
  page: Page,
  baseURL: string | undefined,
  path: string
): Promise<any> {
  const response = await page.request.get(`${baseURL}/themisto/api/${path}`);
  expect(response.ok(), path).toBeTruthy();
  return response.json();
}
