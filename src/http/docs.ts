// The OpenAPI document and the page that shows it. The page loads nothing from another host.
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { type Document, REST_PREFIX } from './openapi.ts';

export function mountDocs(app: FastifyInstance, document: Document): void {
  const url = `${REST_PREFIX}/openapi.json`;
  const text = JSON.stringify(document);
  app.get(url, (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
    },
  });
}
