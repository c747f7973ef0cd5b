// The OpenAPI document and the page that shows it. The page loads nothing from another host.
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { REVALIDATED_BY_ANYONE } from './cache-control.ts';
import { type Document, REST_PREFIX } from './openapi.ts';

/** Three bars of a level meter. */
const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#2563eb"><path d="M2 6h3v8H2zM6.5 2h3v12h-3zM11 8h3v6h-3z"/></svg>',
)}`;

export function mountDocs(app: FastifyInstance, document: Document): void {
  const url = `${REST_PREFIX}/openapi.json`;
  const text = JSON.stringify(document);
  app.get(url, (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', REVALIDATED_BY_ANYONE).send(text),
  );
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url,
      pageTitle: 'Audio Metrics',
      favicon: FAVICON,
      withDefaultFonts: false,
      defaultOpenAllTags: true,
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      // off: these lead to another host, or are for authors of the page
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}
