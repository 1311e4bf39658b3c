/** Browser tests: one server, one browser, real kernels and the real embedded model. */
const fs = require('fs');
const os = require('os');
const path = require('path');
const baseConfig = require('@jupyterlab/galata/lib/playwright-config');

const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome'
].find(candidate => fs.existsSync(candidate));

process.env.THEMISTO_TEST_STORE ??= path.join(
  fs.mkdtempSync(path.join(os.tmpdir(), 'themisto-ui-')),
  'store.sqlite'
);

module.exports = {
  ...baseConfig,
  timeout: 240_000,
  expect: { timeout: 60_000 },
  workers: 1,
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  use: {
    ...baseConfig.use,
    video: 'off',
    trace: 'retain-on-failure',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      // Where the distribution's browser is absent, Playwright's own is used.
      ...(CHROMIUM ? { executablePath: CHROMIUM } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync'
      ]
    }
  },
  webServer: {
    command: 'jlpm start',
    url: 'http://localhost:8888/lab',
    timeout: 120_000,
    reuseExistingServer: !process.env.CI
  }
};
