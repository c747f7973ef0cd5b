// Defines overload_percent: the share of points whose windows were overloaded.

export interface Overload {
  /** Whether a recorder counted overloaded windows in it. */
  readonly isCounted: boolean;
  readonly point_count: number;
  /** Overloaded windows in the whole minutes that the stretch touches, and the points of these minutes. */
  readonly overloaded: number;
  /** The first minute with an overloaded window, canonical; null if there is none. */
  readonly first: string | null;
  readonly points: number;
}

/** For all stretches together; null if no recorder counted, or there is no point. */
export function overloadPercent(stretches: readonly Overload[]): number | null {
  const counted = stretches.filter(({ isCounted, point_count }) => isCounted && point_count > 0);
  if (counted.length === 0) return null;
  const sum = (of: (stretch: Overload) => number) => counted.reduce((all, stretch) => all + of(stretch), 0);
  const overloaded = sum((stretch) => stretch.overloaded);
  // points may have been removed by hand without their overload counts
  return overloaded === 0 ? 0 : Math.min(100, (100 * overloaded) / sum((stretch) => stretch.points));
}
