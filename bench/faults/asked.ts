// What a steady row of requests saw: pure figures over what the probe wrote down.

/** One request: when it was due, how long its answer took from then, and how it ended. */
export interface Asked {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
  /** 0 where the connection broke or nothing came in time. */
  readonly status: number;
}

/** The time within which this share of the answers came, refused ones too, in ms. */
export function percentile(asked: readonly Asked[], share: number): number {
  const times = asked.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

/** Such as `200 x 380, 503 x 4`. */
export function statusesOf(asked: readonly Pick<Asked, 'status'>[]): string {
  const counts = new Map<number, number>();
  for (const { status } of asked) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'broken'} x ${count}`)
    .join(', ');
}

/** How long after `moment` the first request that was made then or later had been answered with 200, in ms. */
export function firstOkAfter(asked: readonly Asked[], moment: number): number {
  const ends = asked
    .filter(({ at, status }) => at >= moment && status === 200)
    .map(({ at, tookMs }) => at + tookMs);
  return Math.min(...ends) - moment;
}
