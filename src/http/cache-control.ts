// Cache-Control: what callers, and caches between them and the service, may keep of an answer (RFC 9111, 5.2.2).
import type { Meta } from '../api/meta.ts';
import { addSeconds, isRelative } from '../contract/instant.ts';

/** What holds where no shared cache may keep answers. */
export const CACHE_CONTROL = {
  /**
   * Its caller may keep it, and must ask before each use if it is still so: points arrive late and rows are
   * deleted, so no interval is ever certain not to change.
   */
  revalidated: 'private, no-cache',
  never: 'no-store',
} as const;

/** For what is the same for everyone until the next version: the OpenAPI document and its page. */
export const REVALIDATED_BY_ANYONE = 'no-cache';

/** For what never changes, as its address has a hash of it. */
export const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';

export interface SharedCache {
  /** How long they may keep an answer, in seconds. */
  readonly seconds: number;
  /** A window that ended longer ago than this, in seconds, seldom changes: its answer is kept longer. */
  readonly settledAfterSeconds: number;
}

/** An answer about a settled window may be kept so many times longer. */
const SETTLED_TIMES = 60;

/** How far an answer may be kept, the least first. */
const KEEPING = ['never', 'revalidated', 'shared', 'settled'] as const;
export type Keeping = (typeof KEEPING)[number];

export type CacheControl = ReturnType<typeof createCacheControl>;

/** @param shared none by default: an answer is for who asked */
export function createCacheControl(shared?: SharedCache) {
  const headers: Record<Keeping, string> = {
    ...CACHE_CONTROL,
    shared: sharedFor(shared?.seconds ?? 0),
    settled: sharedFor((shared?.seconds ?? 0) * SETTLED_TIMES),
  };
  return {
    keeping(cache: Meta['cache'], parameters: object, { to }: { to?: unknown }, now: string): Keeping {
      if (cache === undefined) return 'never';
      if (shared) return isSettled(parameters, to, now, shared.settledAfterSeconds) ? 'settled' : 'shared';
      return cache === 'revalidated' ? 'revalidated' : 'never';
    },
    /** The header of answers that are sent together: that of the one to be kept least. */
    header: (keepings: readonly Keeping[]) =>
      headers[KEEPING.find((each) => keepings.includes(each)) ?? 'never'],
    /** Whether an answer has a tag and can be 304. */
    isTagged: (cache: Meta['cache']) =>
      cache === 'revalidated' || (cache === 'momentary' && shared !== undefined),
  };
}

/** A caller's own cache still asks each time. A shared one asks in the background (RFC 5861, 3), so nobody waits. */
function sharedFor(seconds: number): string {
  return `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=${seconds}`;
}

/** Whether the window of an answer stands still and ended long ago. One relative to now moves with the clock. */
function isSettled(parameters: object, to: unknown, now: string, afterSeconds: number): boolean {
  const moves = Object.values(parameters).some((value) => typeof value === 'string' && isRelative(value));
  return (
    !moves && 'to' in parameters && typeof to === 'string' && to < (addSeconds(now, -afterSeconds) ?? '')
  );
}
