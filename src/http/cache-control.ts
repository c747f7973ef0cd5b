// Cache-Control: how callers and shared caches may keep an answer (RFC 9111, 5.2.2).
import { addSeconds, isRelative } from '../contract/instant.ts';
import type { Meta } from '../operations/trpc.ts';

/** The values without shared caches. */
export const CACHE_CONTROL = {
  /** The caller must revalidate it before each use: in any interval, points arrive late and rows are deleted. */
  revalidated: 'private, no-cache',
  never: 'no-store',
} as const;

/** For files that are the same for everyone until the next version: the OpenAPI document and its page. */
export const REVALIDATED_BY_ANYONE = 'no-cache';

/** For files that never change, because their URL contains their hash. */
export const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';

/** Answers are kept longer if their window ended before this: by then, late points are rare. */
const SETTLED_AFTER_SECONDS = 600;

/** The answer for a settled window may be kept this many times longer. */
const SETTLED_TIMES = 60;

/** How an answer may be kept, the strictest first. */
const KEEPING = ['never', 'revalidated', 'shared', 'settled'] as const;
type Keeping = (typeof KEEPING)[number];

export type CacheControl = ReturnType<typeof createCacheControl>;

/** @param sharedSeconds how long shared caches may keep an answer. Without it, only the caller may keep one */
export function createCacheControl(sharedSeconds = 0) {
  const headers: Record<Keeping, string> = {
    ...CACHE_CONTROL,
    shared: sharedFor(sharedSeconds),
    settled: sharedFor(sharedSeconds * SETTLED_TIMES),
  };
  return {
    keeping(cache: Meta['cache'], parameters: object, { to }: { to?: unknown }, now: string): Keeping {
      if (cache === undefined) return 'never';
      if (sharedSeconds > 0) return isSettled(parameters, to, now) ? 'settled' : 'shared';
      return cache === 'revalidated' ? 'revalidated' : 'never';
    },
    /** The header for answers that are sent together: the strictest of theirs. */
    header: (keepings: readonly Keeping[]) =>
      headers[KEEPING.find((each) => keepings.includes(each)) ?? 'never'],
    /** Whether an answer has a tag and can be 304. */
    isTagged: (cache: Meta['cache']) =>
      cache === 'revalidated' || (cache === 'momentary' && sharedSeconds > 0),
  };
}

/** A caller's own cache revalidates each time. A shared cache revalidates in the background (RFC 5861, 3). */
const sharedFor = (seconds: number): string =>
  `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=${seconds}`;

/** Whether the window of an answer is fixed and ended long ago. A window relative to now moves with the clock. */
function isSettled(parameters: object, to: unknown, now: string): boolean {
  const moves = Object.values(parameters).some((value) => typeof value === 'string' && isRelative(value));
  return (
    !moves &&
    'to' in parameters &&
    typeof to === 'string' &&
    to < (addSeconds(now, -SETTLED_AFTER_SECONDS) ?? '')
  );
}
