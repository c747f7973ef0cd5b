// Serves the files that `npm run page` built and compressed: the page, the reference (/docs) and the manual (/manual).
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { KEPT_FOR_EVER, REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import { chooseCoding, vary } from '../negotiation.ts';

const BUILT = join(import.meta.dirname, '../../../dist-page');
const NOT_BUILT = 'The page, the reference and the manual are not built: `npm run page` builds them';

/** By file extension. Files with other extensions are not served. */
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'application/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

/** The entry pages. Links between files are relative, because a proxy may serve them below a path. */
const ENTRANCES = ['/', '/docs', '/docs/', '/manual', '/manual/'];

export function mountFiles(app: FastifyInstance, folder = BUILT): void {
  const refuse = () => {
    throw new AppError('NOT_FOUND', NOT_BUILT);
  };
  app.setNotFoundHandler(refuse); // for a file that was removed meanwhile
  if (!existsSync(join(folder, 'docs/index.html'))) {
    app.log.warn({ folder }, NOT_BUILT);
    const all = app.prefix === '' ? [...ENTRANCES, '/stations', '/stations/'] : ENTRANCES;
    for (const path of all) app.get(path, { config: { transport: 'docs' } }, refuse);
    return;
  }
  app.register(async (pages) => {
    await pages.register(helmet, { global: false });
    await pages.register(staticFiles, {
      root: folder,
      serve: false, // each file has its own route, so any other path is unknown
      acceptRanges: false,
      cacheControl: false,
      contentType: false,
      lastModified: false,
    });
    // only the root serves the list of stations
    const isServed = (file: string) => pages.prefix === '' || !file.startsWith('stations/');
    for (const [ending, type] of Object.entries(TYPES))
      for (const file of globSync(`**/*.${ending}`, { cwd: folder }).filter(isServed))
        mountFile(pages, file, type);
  });
}

/** Sends the compressed form of a file that the caller prefers. */
function mountFile(pages: FastifyInstance, file: string, type: string): void {
  const cache = file.startsWith('assets/') ? KEPT_FOR_EVER : REVALIDATED_BY_ANYONE;
  const path = `/${file.replace(/(?<=^|\/)index\.html$/, '')}`;
  const options = {
    config: { transport: 'docs' },
    helmet: securityHeaders(file),
    prefixTrailingSlash: 'slash',
  } as const;
  if (`${pages.prefix}${path}` !== '/' && path.endsWith('/'))
    pages.get(path.slice(0, -1), options, ({ url }, reply) => {
      const [present = ''] = url.split('?', 1);
      return reply.redirect(`${basename(present)}/`);
    });
  pages.get(path, options, ({ headers }, reply) => {
    delete headers['if-match']; // the library would answer 412, but this service never does
    delete headers['if-unmodified-since'];
    const { coding } = chooseCoding(headers['accept-encoding']);
    vary(reply, 'accept-encoding');
    reply.type(type).header('cache-control', cache);
    if (coding) reply.header('content-encoding', coding);
    return reply.sendFile(coding ? `${file}.${coding}` : file);
  });
}

/** Pages run only scripts of the service, and connect only to it. Their own origin may frame them (Home Assistant). */
function securityHeaders(file: string) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // the reference adds its own inline style sheet
        styleSrc: file.startsWith('docs/') ? ["'self'", "'unsafe-inline'"] : ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'self'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'sameorigin' },
    strictTransportSecurity: false, // up to the proxy that terminates TLS
  } as const;
}
