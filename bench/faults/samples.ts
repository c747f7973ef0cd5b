// Samples of a probe, one for each request, and the figures computed from them.

/** One request: when it was due, how long the answer took from then, and its status. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
  /** 0 if the connection broke or no answer came in time. */
  readonly status: number;
}

/** The time in ms within which this share of the requests ended, including refused ones; NaN without samples. */
export function percentile(samples: readonly Sample[], share: number): number {
  const times = samples.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

/** How often each status occurred, such as `200 x 380, 503 x 4`. */
export function statusesOf(samples: readonly Pick<Sample, 'status'>[]): string {
  const counts = new Map<number, number>();
  for (const { status } of samples) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'broken'} x ${count}`)
    .join(', ');
}

/**
 * How long after `moment` the first 200 arrived, in ms. Only requests due at `moment` or later count; Infinity if none
 * got 200.
 */
export function firstOkAfter(samples: readonly Sample[], moment: number): number {
  const ends = samples
    .filter(({ at, status }) => at >= moment && status === 200)
    .map(({ at, tookMs }) => at + tookMs);
  return Math.min(...ends) - moment;
}
