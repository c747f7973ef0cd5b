// The page at the root, as `npm run page` built it. Where it is not built, the reference stands in for it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { KEPT_FOR_EVER } from '../cache-control.ts';
import type { Service } from '../service.ts';
import { HTML, pageHeaders, partsOf, SCRIPT, sendFile } from './static-files.ts';

/** Where `npm run page` builds it. */
const BUILT = join(import.meta.dirname, '../../../dist-page');

const TYPES: Readonly<Record<string, string>> = { js: SCRIPT, css: 'text/css; charset=utf-8' };

/** Its scripts and styles have the hash of what they hold in their names. */
export function mountPage(app: FastifyInstance, send: Service['send'], folder = BUILT): void {
  const config = { transport: 'docs' } as const;
  const assets = namesIn(join(folder, 'assets'));
  if (assets.length === 0) {
    app.get('/', { config }, (_request, reply) => reply.redirect('/docs'));
    return;
  }
  app.register(async (pages) => {
    await pages.register(helmet, pageHeaders(["'self'"]));
    const page = partsOf(readFileSync(join(folder, 'index.html')));
    pages.get('/', { config }, (request, reply) => sendFile(request, reply, send, HTML, page));
    for (const name of assets) {
      const type = TYPES[name.split('.').at(-1) ?? ''];
      if (type === undefined) throw new Error(`The page has a file of an unknown type: ${name}`);
      const file = partsOf(readFileSync(join(folder, 'assets', name)));
      pages.get(`/assets/${name}`, { config }, (request, reply) =>
        sendFile(request, reply, send, type, file, KEPT_FOR_EVER),
      );
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
