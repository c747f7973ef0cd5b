// The paths of REST and of its document.
import { join, relative } from 'node:path/posix';

export const REST_PREFIX = '/api/v1';

/** Below this prefix, every station has the paths that the default one has at the root. */
export const STATION_PREFIX = '/stations/:station';

export const DOCUMENT = `${REST_PREFIX}/openapi.json`;

/** The link from an answer to the document (RFC 8631, 4): relative, for proxies that serve everything below a path. */
export function serviceDesc(url: string): string {
  const [path = ''] = url.replace(/^\/stations\/[^/?]+(?=\/)/, '').split('?', 1);
  return `<${relative(join('/', `${path}x`, '..'), DOCUMENT)}>; rel="service-desc"`; // x: a trailing slash counts
}
