// The client in a frontend's bundle: small, free of server code, and working in a browser.
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { chromiumPath, openBrowser, visit } from '../browser.ts';
import { openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { answersByRest, startSmallService } from './embedded-service.ts';

describe('the client, bundled for browsers', () => {
  const service = openForAll(() => startSmallService({ corsOrigins: ['*'] }));
  let chunk: Rolldown.OutputChunk;
  beforeAll(async () => {
    chunk = await bundle('src/client/index.ts');
  });

  it('contains the client, its constants, tRPC and no other module', () => {
    const modules = Object.keys(chunk.modules).map((path) => path.replace(`${process.cwd()}/`, ''));
    const foreign = modules.filter(
      (path) => !/^node_modules\/(@trpc\/(client|server)|eventsource-parser)\//.test(path),
    );
    expect(foreign).toContain('src/client/index.ts'); // package.test.ts lists them
    expect(
      foreign.filter((path) => !/^src\/(client\/[\w-]+|contract\/batch-limits)\.ts$/.test(path)),
    ).toEqual([]);
  });

  it('imports nothing, least of all from Node, and is small', () => {
    expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
    expect(chunk.code).not.toMatch(
      /\bnode:|\brequire\(|__vite-browser-external|\bprocess\.(?!env)|\bBuffer\b/,
    );
    expect(chunk.code.length).toBeLessThan(50_000);
  });

  it(
    'works on a page of the service, and on a page of another origin',
    needs('Chromium', chromiumPath),
    async () => {
      const { code } = await bundle('test/client/consumer.ts');
      const browser = await openBrowser(inject('browser'));
      try {
        for (const host of ['127.0.0.1', 'localhost']) {
          const { page } = await visit(browser);
          await page.goto(`${service.url.replace('127.0.0.1', host)}/api/v1/health/live`);
          const answers = await page.evaluate(script(code, service.url));
          expect(answers, host).toEqual([await answersByRest(service), true]);
        }
      } finally {
        await browser.close();
      }
    },
  );
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

/** Returns the result of consumer.ts on a page, and whether a plain EventSource receives a point. */
function script(code: string, url: string): string {
  return `(async () => {
    const source = new Blob([${JSON.stringify(code)}], { type: 'text/javascript' });
    const { consume } = await import(URL.createObjectURL(source));
    const plain = new Promise((resolve) => {
      const source = new EventSource(${JSON.stringify(url)} + '/api/v1/audio/live');
      source.onmessage = ({ data, lastEventId }) => {
        source.close();
        resolve(Array.isArray(JSON.parse(data).points) && lastEventId.includes('~'));
      };
    });
    return Promise.all([consume(${JSON.stringify(url)}), plain]);
  })()`;
}
