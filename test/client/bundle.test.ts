// The client in a frontend's bundle: small, nothing of the server in it, and it works in a browser.
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, visit } from '../browser.ts';
import type { TestService } from '../service.ts';
import { startEmbeddedService } from './embedded-service.ts';

describe('the client, bundled for browsers', () => {
  let service: TestService;
  let chunk: Rolldown.OutputChunk;
  beforeAll(async () => {
    service = await startEmbeddedService({ corsOrigins: ['*'] });
    chunk = await bundle('src/client/index.ts');
  });
  afterAll(() => service?.close());

  it('holds the client, its constants and tRPC, and no other module', () => {
    const modules = Object.keys(chunk.modules).map((path) => path.replace(`${process.cwd()}/`, ''));
    const foreign = modules.filter(
      (path) => !/^node_modules\/(@trpc\/(client|server)|eventsource(-parser)?)\//.test(path),
    );
    expect(foreign.toSorted()).toEqual([
      'src/client/batch-when-several.ts',
      'src/client/follow.ts',
      'src/client/index.ts',
      'src/client/retry-waits.ts',
      'src/client/service-error.ts',
      'src/client/subscription-links.ts',
      'src/contract/batch-limits.ts',
    ]);
  });

  it('imports nothing, least of all from Node, and is small', () => {
    expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
    expect(chunk.code).not.toMatch(
      /\bnode:|\brequire\(|__vite-browser-external|\bprocess\.(?!env)|\bBuffer\b/,
    );
    expect(chunk.code.length).toBeLessThan(65_000);
  });

  it.skipIf(!chromiumPath)('answers in a page of the service, and in a page of another origin', async () => {
    const browser = await openBrowser();
    try {
      for (const host of ['127.0.0.1', 'localhost']) {
        const { page } = await visit(browser);
        await page.goto(`${service.url.replace('127.0.0.1', host)}/api/v1/health/live`);
        const answers = await page.evaluate(script(chunk.code, service.url));
        expect(answers, host).toEqual({
          times: ['2026-01-01T00:00:02.000000Z'],
          count: 3,
          csv: 'time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00.000001Z,-9.34,440,false\n2026-01-01T00:00:01.000000Z,,,true\n2026-01-01T00:00:02.000000Z,-1.5,1000,false\n',
          live: [false, true],
          refused: [
            'BAD_REQUEST',
            [{ parameter: 'limit', detail: 'must be a whole number from 1 to 10000' }],
          ],
        });
      }
    } finally {
      await browser.close();
    }
  });
});

async function bundle(entry: string): Promise<Rolldown.OutputChunk> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, target: 'es2022', lib: { entry, formats: ['es'] } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('vite built nothing');
  return output.output[0];
}

/** What a page does with the client: a batch, an export, a subscription, a plain stream, a call that is refused. */
function script(code: string, url: string): string {
  return `(async () => {
    const source = new Blob([${JSON.stringify(code)}], { type: 'text/javascript' });
    const { createClient, isServiceError } = await import(URL.createObjectURL(source));
    const client = createClient(${JSON.stringify(url)});
    const day = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const [latest, summary] = await Promise.all([
      client.audio.latest.query({ limit: 1 }),
      client.stats.summary.query({ period: '24h', to: day.to }),
    ]);
    let csv = '';
    for await (const text of await client.export.csv.query(day)) csv += text;
    const typed = new Promise((resolve) => {
      const live = client.audio.live.subscribe({}, {
        onData: ({ data }) => { live.unsubscribe(); resolve(data.stale); },
      });
    });
    const plain = new Promise((resolve) => {
      const source = new EventSource(${JSON.stringify(url)} + '/api/v1/audio/live');
      source.onmessage = ({ data, lastEventId }) => {
        source.close();
        resolve(Array.isArray(JSON.parse(data).points) && lastEventId.includes('~'));
      };
    });
    const error = await client.audio.latest.query({ limit: 0 }).catch((thrown) => thrown);
    return {
      times: latest.points.map(({ time }) => time),
      count: summary.point_count,
      csv,
      live: await Promise.all([typed, plain]),
      refused: isServiceError(error) && [error.data.code, error.data.errors],
    };
  })()`;
}
