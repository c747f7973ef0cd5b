// Renders the pictures of the README: the page with the points of the demo, in light and in dark.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser, visit } from '../test/browser.ts';
import { freePort } from '../test/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-pictures-'));
const port = String(await freePort());
const { PATH = '' } = process.env;
execFileSync('npm', ['run', 'page'], { stdio: 'inherit' });
const demo = spawn(process.execPath, ['src/main.ts', 'demo'], {
  env: { PATH, PORT: port, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const url = `http://127.0.0.1:${port}`;
try {
  for await (const line of createInterface({ input: demo.stderr }))
    if (line.includes('two weeks are complete')) break;
  const browser = await openBrowser();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await visit(browser);
    await page.setViewportSize({ width: 1280, height: 1040 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${url}/`);
    await page.locator('.chart .u-over').waitFor();
    await sleep(4000); // some of the level now
    await page.screenshot({ path: join(import.meta.dirname, `page-${colorScheme}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  demo.kill('SIGTERM');
  if (demo.exitCode === null) await once(demo, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
