// The OpenAPI document and the page that shows it. The page loads nothing from another host.
import helmet from '@fastify/helmet';
import scalar from '@scalar/fastify-api-reference';
import Fastify, { type FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../../contract/media-types.ts';
import type { Parts } from '../../points/serialise.ts';
import { KEPT_FOR_A_DAY } from '../cache-control.ts';
import { DOCUMENT } from '../paths.ts';
import type { Service } from '../service.ts';
import type { Document } from './openapi.ts';
import { HTML, pageHeaders, partsOf, SCRIPT, sendFile } from './static-files.ts';

/** Three bars of a level meter. */
const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#2563eb"><path d="M2 6h3v8H2zM6.5 2h3v12h-3zM11 8h3v6h-3z"/></svg>',
)}`;

const CONFIGURATION = {
  url: DOCUMENT,
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
};

const START = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)});\n`;

const PAGE = (version: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Audio Metrics</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/scalar.js?v=${encodeURIComponent(version)}"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

export function mountDocs(app: FastifyInstance, document: Document, send: Service['send']): void {
  const text = partsOf(JSON.stringify(document));
  const config = { transport: 'docs' } as const;
  app.get(DOCUMENT, { config }, (request, reply) => sendFile(request, reply, send, JSON_TYPE, text));
  app.register(async (pages) => {
    await pages.register(helmet, pageHeaders(["'self'", "'unsafe-inline'"])); // the reference writes its own style sheet into the page;
    const page = partsOf(PAGE(document.info.version));
    const start = partsOf(START);
    for (const path of ['/docs', '/docs/'])
      pages.get(path, { config }, (request, reply) => sendFile(request, reply, send, HTML, page));
    pages.get('/docs/start.js', { config }, (request, reply) =>
      sendFile(request, reply, send, SCRIPT, start),
    );
    let reference: Promise<Parts> | undefined;
    pages.get('/docs/scalar.js', { config }, async (request, reply) => {
      reference ??= readReference();
      reference.catch(() => {
        reference = undefined;
      });
      return sendFile(request, reply, send, SCRIPT, await reference, KEPT_FOR_A_DAY);
    });
  });
}

/** The script of the reference, 4 MB: its package has it only as a plugin's route. */
async function readReference(): Promise<Parts> {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: DOCUMENT } });
  const { rawPayload } = await app.inject('/docs/js/scalar.js');
  await app.close();
  return partsOf(rawPayload);
}
