// Converts wall-clock times to instants, even in the hours that summer time skips and repeats.

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

export interface WallClock {
  /**
   * For a time that occurs twice, returns the instant that keeps the log in order, forwards or backwards. If both do,
   * returns the one nearer to the previous time, or the first if that is over a day away.
   *
   * @param wallMs the clock time, in milliseconds since 1970 as if the zone were UTC
   * @returns milliseconds since 1970; undefined if the zone skips that time
   */
  instantOf(wallMs: number): number | undefined;
  offsetAt(ms: number): number;
  /** How many of the times so far occur twice. */
  repeated(): number;
  /** A copy with the same state. */
  copy(): WallClock;
}

interface Read {
  /** The previous instant, and the last one that differed from it. */
  before: number;
  other: number;
  repeated: number;
}

export const ZONE_ALLOWED = 'an IANA time zone or an offset, such as Europe/Vienna, UTC or +01:00';

export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function createWallClock(
  zone: string,
  { before, other, repeated }: Read = { before: Number.NaN, other: Number.NaN, repeated: 0 },
): WallClock {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  let quarter = Number.NaN;
  let offsets: readonly number[] = [];

  function offsetAt(ms: number): number {
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(ms)) ?? [];
    return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  }

  /** Zones change only at quarter hours, so one lookup per quarter is enough. */
  function offsetsOf(wallMs: number): readonly number[] {
    const now = Math.floor(wallMs / QUARTER_MS);
    if (now === quarter) return offsets;
    quarter = now;
    const around = new Set([offsetAt(wallMs - DAY_MS), offsetAt(wallMs + DAY_MS)]);
    offsets = [...around].filter((offset) => offsetAt(wallMs - offset) === offset).sort((a, b) => b - a);
    return offsets;
  }

  /** Chooses between the two instants of a repeated time. */
  function choose(early: number, late: number): number {
    repeated += 1;
    if (Math.abs(before - early) > DAY_MS) return early;
    // equal times mean the same instant, unless the log's spacing is at least as long as the repeated interval
    const isPast = (instant: number) =>
      before === instant && Math.abs(before - other) >= late - early && Math.abs(before - other) <= DAY_MS;
    if (before < other) return late <= before && !isPast(late) ? late : early;
    return early < before || isPast(early) ? late : early;
  }

  return {
    instantOf(wallMs) {
      const [first, second] = offsetsOf(wallMs);
      if (first === undefined) return undefined;
      const instant = second === undefined ? wallMs - first : choose(wallMs - first, wallMs - second);
      if (instant !== before) [before, other] = [instant, before];
      return instant;
    },
    offsetAt,
    repeated: () => repeated,
    copy: () => createWallClock(zone, { before, other, repeated }),
  };
}
