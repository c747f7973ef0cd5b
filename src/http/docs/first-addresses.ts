// The addresses that people and programs try first. They lead to the document, the reference, a probe and the catalog.
// All links are relative, because a proxy may serve everything below a path.
import { dirname, relative } from 'node:path/posix';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../../contract/media-types.ts';
import { ERRORS_PAGE } from '../../contract/problem.ts';
import { CACHE_CONTROL, REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import { send } from '../send.ts';
import { DOCUMENT, REST_PREFIX } from '../service.ts';

const REDIRECTS = {
  '/openapi.json': DOCUMENT,
  '/api': '/docs/',
  [REST_PREFIX]: '/docs/',
  [ERRORS_PAGE]: '/manual/reference/errors.html',
};

const CATALOG = '/.well-known/api-catalog';
const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The link from the page at `path` to `target`, both below the same prefix. */
const linkFrom = (path: string, target: string) => relative(dirname(path), target);

/** Such as `?absolute`, or nothing. */
const queryIn = (url: string) => /\?.*/s.exec(url)?.[0] ?? '';

export function mountFirstAddresses(app: FastifyInstance): void {
  const config = { transport: 'docs' } as const;
  for (const [path, target] of Object.entries(REDIRECTS)) {
    const link = `${linkFrom(path, target)}${target.endsWith('/') ? '/' : ''}`;
    app.get(path, { config }, ({ url }, reply) => reply.redirect(`${link}${queryIn(url)}`, 308));
  }
  if (app.prefix !== '') return;
  const probe = { config: { transport: 'rest', operation: 'health.live' } } as const;
  app.get('/healthz', probe, (request, reply) =>
    send(request, reply, { type: JSON_TYPE, cacheControl: CACHE_CONTROL.never, body: '{"status":"ok"}' }),
  );
  app.get(CATALOG, { config }, (request, reply) =>
    send(request, reply, {
      type: CATALOG_TYPE,
      cacheControl: REVALIDATED_BY_ANYONE,
      headers: { link: '<api-catalog>; rel="api-catalog"' },
      body: Buffer.from(catalog), // Fastify would add a charset to a text
    }),
  );
}

/** RFC 9727, as a linkset of RFC 9264. */
const catalog = JSON.stringify({
  linkset: [
    {
      anchor: linkFrom(CATALOG, REST_PREFIX),
      'service-desc': [{ href: linkFrom(CATALOG, DOCUMENT), type: 'application/json' }],
      'service-doc': [{ href: `${linkFrom(CATALOG, '/docs')}/`, type: 'text/html' }],
      status: [{ href: linkFrom(CATALOG, `${REST_PREFIX}/health/ready`), type: 'application/json' }],
    },
  ],
});
