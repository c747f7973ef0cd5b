// The clock of live sound: tells when each sample was taken, from when samples arrive.
//
// A sample arrives late, never early. So the time of arrival less the length of the sound so far is at least the time
// at which the sound began, its origin, and the least of these is the best estimate. Three things change it: what waits
// in the pipe at the start arrives all at once; a sound card is some 100 ppm too fast or too slow; and samples that were
// lost move the origin of all that follow.

export interface SoundClock {
  /**
   * Takes note of an arrival.
   *
   * @param samples how many have arrived in all
   * @param at milliseconds since 1970
   */
  arrived(samples: number, at: number): void;
  /** How many samples can be dated for good: none at first, and not those that arrive late, until it is known why. */
  decided(): number;
  /**
   * When a sample was taken, in milliseconds since 1970: never after it arrived. For samples that are decided.
   *
   * @param sample counted from 0, not before that of an earlier call
   */
  timeOf(sample: number): number;
  /** Decides for all that has arrived, on what is known. */
  decideNow(): void;
}

interface Arrival {
  readonly at: number;
  /** How many samples had arrived before. */
  readonly before: number;
  /** Whether it had waited: it came sooner after the arrival before than it takes to record. */
  readonly hasWaited: boolean;
  /** The origin, had nothing delayed this arrival. */
  readonly origin: number;
}

interface Settling {
  readonly origin: number;
  readonly since: number;
  /** When the first of all arrived. */
  readonly begun: number;
  /** How many samples had arrived by then. */
  readonly samples: number;
  /** Those after the one that gave the origin. */
  readonly arrivals: readonly Arrival[];
}

/** At the start: the origin is found once arrivals in real time give no earlier one for so long. */
const SETTLED_MS = 1000;
const SETTLED_WITHIN_MS = 10;
/** Sound that is faster than its rate gives earlier ones for ever. */
const SETTLED_AT_LAST_MS = 60_000;
/** An arrival that is later than this is not dated before it is known whether samples were lost. */
const LATE_MS = 250;
/** They were, if all arrivals are late for so long, and those of the last second no less than those before. */
const LOST_AFTER_MS = 2000;
const LAST_MS = 1000;
const LOST_WITHIN_MS = 50;
/** A source that has not caught up after so long does not. */
const LOST_AT_LAST_MS = 10_000;
/** The card is slow, if no arrival of so long a time gives an origin as early as that in use. */
const WINDOW_MS = 30_000;
/** How fast the origin then moves: five times the drift of a usual card. */
const SLEW = 500e-6;
/** A card that is slower than that is known by origins that rise by more than this: they are followed as they rise. */
const DRIFTS_MS = 10;

export function createSoundClock(rateHz: number): SoundClock {
  /** The origin of the samples from `from` on. All but the last are history that is not asked for yet. */
  const origins = [{ from: 0, origin: Number.POSITIVE_INFINITY }];
  let recent = createEnvelope();
  let samplesBefore = 0;
  let lastArrival = Number.NEGATIVE_INFINITY;
  let lastFollowed = Number.NEGATIVE_INFINITY;
  /** Since when no arrival gave an earlier origin; undefined once the start is over. */
  let settling: Settling | undefined = {
    origin: Number.POSITIVE_INFINITY,
    since: 0,
    begun: Number.POSITIVE_INFINITY,
    samples: 0,
    arrivals: [],
  };
  /** Arrivals that are late, each one since the first. */
  let late: Arrival[] = [];

  const current = () => origins[origins.length - 1] ?? { from: 0, origin: Number.POSITIVE_INFINITY };

  function settle(arrival: Arrival, state: Settling): void {
    follow(arrival);
    const elapsed = arrival.at - state.since;
    const cameMs = ((samplesBefore - state.samples) * 1000) / rateHz;
    const arrivals = [...state.arrivals, arrival];
    const begun = Math.min(state.begun, arrival.at);
    const fresh = { since: arrival.at, begun, samples: samplesBefore };
    if (arrival.at - begun > SETTLED_AT_LAST_MS) begin(arrivals);
    else if (arrival.origin < state.origin - SETTLED_WITHIN_MS)
      settling = { ...fresh, origin: arrival.origin, arrivals: [] };
    else if (elapsed < SETTLED_MS) settling = { ...state, begun, arrivals };
    else if (cameMs < elapsed / 2)
      settling = { ...state, ...fresh, arrivals }; // it stalled
    else begin(arrivals);
  }

  /** @param arrivals in which samples may have been lost */
  function begin(arrivals: readonly Arrival[]): void {
    settling = undefined;
    for (const each of arrivals) take(each);
  }

  /** Earlier at once, so that nothing is dated ahead; later by and by. */
  function follow({ at, origin }: Arrival): void {
    const now = current();
    const { origin: expected, rise, isFull } = recent.add(at, origin);
    const elapsed = Math.min(1000, Math.max(0, at - lastFollowed));
    const mostLater = elapsed * Math.max(SLEW, 2 * rise);
    lastFollowed = at;
    if (origin < now.origin) now.origin = origin;
    else if (isFull || rise > 0)
      now.origin = Math.max(now.origin, Math.min(origin, expected, now.origin + mostLater));
  }

  function take(arrival: Arrival): void {
    if (settling) settle(arrival, settling);
    else if (arrival.origin > current().origin + LATE_MS) takeLate(arrival);
    else {
      late = []; // it has caught up: nothing was lost
      follow(arrival);
    }
  }

  function takeLate(arrival: Arrival): void {
    late.push(arrival);
    const [first] = late;
    const since = arrival.at - (first?.at ?? arrival.at);
    if (since >= LOST_AT_LAST_MS || (since >= LOST_AFTER_MS && !isCatchingUp(arrival.at))) step();
  }

  function isCatchingUp(now: number): boolean {
    const isLast = ({ at }: Arrival) => at > now - LAST_MS;
    return leastOf(late.filter(isLast)) < leastOf(late.filter((each) => !isLast(each))) - LOST_WITHIN_MS;
  }

  /** Samples were lost, after those that had waited. */
  function step(): void {
    const origin = leastOf(late);
    const isAfter = (each: Arrival) => !each.hasWaited && each.origin <= origin + LOST_WITHIN_MS;
    const after = late.slice(Math.max(0, late.findIndex(isAfter)));
    late = [];
    recent = createEnvelope();
    origins.push({ from: after[0]?.before ?? samplesBefore, origin });
    for (const arrival of after) take(arrival); // more may have been lost since
  }

  return {
    arrived(samples, at) {
      const before = samplesBefore;
      const hasWaited = at - lastArrival < (500 * (samples - before)) / rateHz;
      samplesBefore = samples;
      lastArrival = at;
      take({ at, before, hasWaited, origin: at - (samples * 1000) / rateHz });
    },
    decided() {
      if (settling) return 0;
      return late[0]?.before ?? Number.POSITIVE_INFINITY;
    },
    timeOf(sample) {
      while (origins[1] && origins[1].from <= sample) origins.shift();
      return (origins[0]?.origin ?? Number.NaN) + (sample * 1000) / rateHz;
    },
    decideNow() {
      if (settling) begin(settling.arrivals);
      const [first] = late;
      const last = late.at(-1);
      if (first && last && last.at - first.at >= LAST_MS) step();
      late = [];
    },
  };
}

function leastOf(arrivals: readonly Arrival[]): number {
  return arrivals.reduce((least, { origin }) => Math.min(least, origin), Number.POSITIVE_INFINITY);
}

/** The lower envelope of origins, by the earliest of each second of the last {@link WINDOW_MS}. */
function createEnvelope() {
  let seconds: { readonly begun: number; at: number; origin: number }[] = [];
  let begun: number | undefined;
  let isFull = false;

  /** How fast it rises, in ms a millisecond: 0 unless between its halves it rises by more than arrivals scatter. */
  function riseOf(whole: typeof seconds): number {
    const half = whole.length >> 1;
    const [older, newer] = [earliestOf(whole.slice(0, half)), earliestOf(whole.slice(half))];
    if (!older || !newer || newer.origin - older.origin < DRIFTS_MS) return 0;
    return (newer.origin - older.origin) / (newer.at - older.at);
  }

  return {
    /** @returns where the envelope is now, how fast it rises, and whether it is of so long a time */
    add(at: number, origin: number) {
      begun ??= at;
      isFull ||= at - begun >= WINDOW_MS;
      const last = seconds.at(-1);
      if (!last || at - last.begun >= 1000 || at < last.begun) {
        seconds = seconds.filter((second) => second.begun > at - WINDOW_MS && second.begun <= at);
        seconds.push({ begun: at, at, origin });
      } else if (origin <= last.origin) Object.assign(last, { at, origin });
      const rise = riseOf(seconds.slice(0, -1));
      const now = seconds.map((second) => second.origin + rise * (at - second.at));
      return { origin: Math.min(...now), rise, isFull };
    },
  };
}

function earliestOf<Of extends { readonly origin: number }>(all: readonly Of[]): Of | undefined {
  return all.reduce<Of | undefined>(
    (least, each) => (least && least.origin <= each.origin ? least : each),
    undefined,
  );
}
