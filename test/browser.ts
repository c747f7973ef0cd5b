// A real browser, if this machine has one: headless Chromium that can reach only the test service.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The debugging address of the browser that all tests share; undefined if this machine has none. */
    browser: string | undefined;
  }
}

/** The headless shell comes first: starting it takes half the processor time of a full Chromium. */
const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export const chromiumPath = CANDIDATES.find((path) => existsSync(path));

/** How long a step of a browser may take on a busy machine. */
const BUSY_MS = 120_000;

export interface Visit {
  page: Page;
  /** Every address that the page requested, in order. */
  requests: string[];
  /** Faults of the page: console errors, exceptions and failed requests. */
  complaints: string[];
}

const OPTIONS = {
  env: { ...process.env, TZ: 'UTC' },
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** Starts the browser that all tests share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = chromiumPath && (await chromium.launchServer({ ...OPTIONS, executablePath: chromiumPath }));
  project.provide('browser', server ? server.wsEndpoint() : undefined);
  return async () => void (server && (await server.close()));
}

/** @param address of a running browser. Without it, a new browser starts, and ends when it is closed. */
export async function openBrowser(address?: string): Promise<Browser> {
  if (address) return await chromium.connect(address);
  if (!chromiumPath) throw new Error('There is no Chromium on this machine');
  // launch uses a fresh user data folder each time
  return await chromium.launch({ ...OPTIONS, executablePath: chromiumPath });
}

/** Sets the clock of a page or of all pages of a context, before they open: it runs ahead of the machine's clock. */
export const setClock = (of: Pick<Page, 'addInitScript'>, aheadMs: number) =>
  of.addInitScript((aheadMs) => {
    const RealDate = Date;
    const now = () => RealDate.now() + aheadMs;
    globalThis.Date = new Proxy(RealDate, {
      construct: (of, given, asked) => Reflect.construct(of, given.length > 0 ? given : [now()], asked),
      get: (of, name, asked) => (name === 'now' ? now : Reflect.get(of, name, asked)),
    });
  }, aheadMs);

/** Opens a new page that records its requests and its faults. @param aheadMs as for `setClock` */
export async function visit(browser: Browser, aheadMs = 0): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(BUSY_MS);
  await setClock(page, aheadMs);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}, ${reason}`); // the page itself aborts requests
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  return { page, requests, complaints };
}
