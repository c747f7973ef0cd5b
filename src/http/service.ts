// What the routes share: their paths, the parts of the service, and a query string.
import { join, relative } from 'node:path/posix';
import type { FastifyRequest } from 'fastify';
import type { Admission } from '../load/admission.ts';
import type { Context } from '../operations/context.ts';
import type { CacheControl } from './cache-control.ts';
import type { Revocation } from './edge/caller.ts';

export const REST_PREFIX = '/api/v1';

/** Below this prefix, every station has the paths that the default one has at the root. */
export const STATION_PREFIX = '/stations/:station';

export const DOCUMENT = `${REST_PREFIX}/openapi.json`;

/** The link from an answer to the document (RFC 8631, 4): relative, for proxies that serve everything below a path. */
export function serviceDesc(url: string): string {
  const [path = ''] = url.replace(/^\/stations\/[^/?]+(?=\/)/, '').split('?', 1);
  return `<${relative(join('/', `${path}x`, '..'), DOCUMENT)}>; rel="service-desc"`; // x: a trailing slash counts
}

/** A query string as Fastify parses it: a repeated parameter is an array. */
export type Query = Record<string, unknown>;

export interface Service {
  readonly admission: Admission;
  /** @param type the media type of the answer. Pages that cannot have it are JSON, and files CSV */
  contextOf(request: FastifyRequest, transport: Context['transport'], type: string): Context;
  readonly cacheControl: CacheControl;
  readonly revocation: Revocation;
}
