// Lengths of time as people write them: 500ms, 10m, 7d.

/** From the shortest to the longest. */
export const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** @returns milliseconds, or undefined if the text is not a length of whole milliseconds, such as 1.5s or 10m */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? [];
  const ms = Math.round(Number(count) * (UNIT_MS[unit] ?? Number.NaN) * 1000) / 1000;
  return Number.isInteger(ms) ? ms : undefined;
}

/** The form of lengths in a range; it parses them to milliseconds. */
export function durationBetween(least: Duration, most: Duration) {
  const [leastMs = 0, mostMs = 0] = [least, most].map(parseDuration);
  return {
    allowed: `a length of time from ${least} to ${most}, in ms, s, m, h or d`,
    parse(text: string): number | undefined {
      const ms = parseDuration(text) ?? Number.NaN;
      return ms >= leastMs && ms <= mostMs ? ms : undefined;
    },
  };
}
