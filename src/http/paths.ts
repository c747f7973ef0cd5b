// Where REST is, and the document that describes it.
import { join, relative } from 'node:path/posix';

export const REST_PREFIX = '/api/v1';

/** Below it every station is what the default one is at the root. */
export const STATION_PREFIX = '/stations/:station';

export const DOCUMENT = `${REST_PREFIX}/openapi.json`;

/** The link of an answer to the document (RFC 8631, 4): relative, for proxies that serve all of it below a path. */
export function serviceDesc(url: string): string {
  const [path = ''] = url.replace(/^\/stations\/[^/?]+(?=\/)/, '').split('?', 1);
  return `<${relative(join('/', `${path}x`, '..'), DOCUMENT)}>; rel="service-desc"`; // x: a slash at the end counts
}
