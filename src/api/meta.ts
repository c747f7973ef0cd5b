// What a procedure says of itself beside its input and output.
import type { OpenApiMeta } from 'trpc-to-openapi';
import { CSV_TYPE, JSON_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import type { ErrorCode } from '../errors.ts';

/** The kinds of error that an operation can end with. The others come before it is called. */
export type Failure = Extract<
  ErrorCode,
  'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE' | 'GATEWAY_TIMEOUT'
>;

export interface Meta extends OpenApiMeta {
  /**
   * Whether a caller may keep the answer and ask later if it is still so. A momentary one is of use to shared caches
   * only. Not by default.
   */
  readonly cache?: 'revalidated' | 'momentary';
  /** The media types that REST offers, the one for callers who do not say first. JSON by default. */
  readonly types?: readonly string[];
  /** The field of the answer whose rows REST offers as CSV: an array of flat objects. */
  readonly rows?: string;
  /** Whether it is for probes: called without a key, as often as they like, and never in a queue. */
  readonly isProbe?: boolean;
  /** All by default. */
  readonly errors?: readonly Failure[];
}

/** @param path on REST, below its prefix: that of the procedure, with slashes */
export function get(path: `/${string}/${string}`, summary: string, description: string) {
  const [, group = ''] = path.split('/');
  return { method: 'GET' as const, path, summary, description, tags: [group], protect: false };
}

/** The media types of pages of points, and of answers with rows. */
export const LINES = [JSON_TYPE, CSV_TYPE, NDJSON_TYPE];
export const TABLE = [JSON_TYPE, CSV_TYPE];
