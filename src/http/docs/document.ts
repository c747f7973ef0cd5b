// Serves the OpenAPI document. It changes with the configuration, so it is a route; the page that shows it is a file.
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../../contract/media-types.ts';
import { REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import { DOCUMENT } from '../paths.ts';
import type { Service } from '../service.ts';
import { openApiDocument } from './openapi.ts';

/** @param areKeysNeeded whether callers need a key */
export function mountDocument(
  app: FastifyInstance,
  { send, cacheControl }: Service,
  version: string,
  areKeysNeeded: boolean,
): void {
  const text = Buffer.from(JSON.stringify(openApiDocument(version, cacheControl, areKeysNeeded)));
  app.get(DOCUMENT, { config: { transport: 'docs' } }, (request, reply) =>
    send(request, reply, { type: JSON_TYPE, cacheControl: REVALIDATED_BY_ANYONE, body: [text] }),
  );
}
