// Where REST is, and the document that describes it.
import { join, relative } from 'node:path/posix';

export const REST_PREFIX = '/api/v1';

export const DOCUMENT = `${REST_PREFIX}/openapi.json`;

/** The link of an answer to the document (RFC 8631, 4): relative, for proxies that serve all of it below a path. */
export function serviceDesc(url: string): string {
  const [path = ''] = url.split('?', 1);
  return `<${relative(join('/', `${path}x`, '..'), DOCUMENT)}>; rel="service-desc"`; // x: a slash at the end counts
}
