// A real browser, if this machine has one: headless Chromium that may talk to the test service alone.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser of all tests is reached; undefined if this machine has none. */
    browser: string | undefined;
  }
}

/** The first one takes half of the processor time of the others. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Where Chromium is, or undefined. */
export const chromiumPath = PLACES.find((path) => existsSync(path));

export interface Visit {
  page: Page;
  /** Every address that the page asked for, in order. */
  requests: string[];
  /** What went wrong on the page: errors on its console, exceptions, requests that failed. */
  complaints: string[];
}

const OPTIONS = {
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

/** Starts the browser of all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = chromiumPath && (await chromium.launchServer({ ...OPTIONS, executablePath: chromiumPath }));
  project.provide('browser', server ? server.wsEndpoint() : undefined);
  return async () => void (server && (await server.close()));
}

/** @param address of a running one; without it one is started, which closing ends */
export async function openBrowser(address?: string): Promise<Browser> {
  if (address) return await chromium.connect(address);
  if (!chromiumPath) throw new Error('There is no Chromium on this machine');
  // a fresh user data folder each time is what launch gives
  return await chromium.launch({ ...OPTIONS, executablePath: chromiumPath });
}

/** A page of its own that notes what it asks for and what goes wrong. */
export async function visit(browser: Browser): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}, ${reason}`); // not by the page itself
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  return { page, requests, complaints };
}
