// The clock of live sound: estimates from arrival times when each sample was recorded.
//
// A sample arrives late, never early. So an arrival time minus the length of the sound so far is never before the
// origin, the time at which the sound began. The earliest is the best estimate. Three things disturb it: samples
// waiting in the pipe at the start arrive all at once; a sound card is some 100 ppm too fast or too slow; and lost
// samples move the origin of all later ones.

interface Arrival {
  readonly at: number;
  /** How many samples had arrived before this arrival. */
  readonly before: number;
  /** Whether its samples had waited: they came in less time after the previous arrival than they take to record. */
  readonly hasWaited: boolean;
  /** The origin if nothing delayed this arrival. */
  readonly origin: number;
}

interface Settling {
  readonly origin: number;
  readonly since: number;
  /** The time of the very first arrival. */
  readonly begun: number;
  /** How many samples had arrived at `since`. */
  readonly samples: number;
  /** The arrivals after the one that gave the origin. */
  readonly arrivals: readonly Arrival[];
}

/** At the start, the origin is final once sound has arrived in real time for this long and given no earlier one. */
const SETTLED_MS = 1000;
const SETTLED_WITHIN_MS = 10;
/** The longest start: sound faster than its rate would give earlier origins forever. */
const SETTLED_AT_LAST_MS = 60_000;
/** An arrival later than this is not dated until it is known whether samples were lost. */
const LATE_MS = 250;
/** Samples were lost if all arrivals have been late for this long, without catching up in the last second. */
const LOST_AFTER_MS = 2000;
const LAST_MS = 1000;
const LOST_WITHIN_MS = 50;
/** A source that has not caught up after this long never will. */
const LOST_AT_LAST_MS = 10_000;
/** The card is slow if no arrival within this time gives an origin as early as the current one. */
const WINDOW_MS = 30_000;
/** How fast the origin moves for a slow card: five times the drift of a typical one. */
const SLEW = 500e-6;
/** If origins rise by more than this, the card is even slower, and the clock follows their rise. */
const DRIFTS_MS = 10;

export function createSoundClock(rateHz: number) {
  /** Each origin holds from sample `from` on. All but the last are kept for samples still to be dated. */
  const origins = [{ from: 0, origin: Number.POSITIVE_INFINITY }];
  let recent = createEnvelope();
  let samplesBefore = 0;
  let lastArrival = Number.NEGATIVE_INFINITY;
  let lastFollowed = Number.NEGATIVE_INFINITY;
  /** Undefined once the origin is final. */
  let settling: Settling | undefined = {
    origin: Number.POSITIVE_INFINITY,
    since: 0,
    begun: Number.POSITIVE_INFINITY,
    samples: 0,
    arrivals: [],
  };
  /** All arrivals since the first late one. */
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
      settling = { ...state, ...fresh, arrivals }; // the source stalled
    else begin(arrivals);
  }

  /** @param arrivals those not applied yet; samples may have been lost between them */
  function begin(arrivals: readonly Arrival[]): void {
    settling = undefined;
    for (const each of arrivals) take(each);
  }

  /** Moves the origin: earlier at once, so that nothing is dated in the future, but later only gradually. */
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
      late = []; // the source has caught up: nothing was lost
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

  /** Begins a new origin after lost samples. Samples that had waited are from before the loss. */
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
    /** @param samples how many have arrived in total. @param at milliseconds since 1970 */
    arrived(samples: number, at: number): void {
      const before = samplesBefore;
      const hasWaited = at - lastArrival < (500 * (samples - before)) / rateHz;
      samplesBefore = samples;
      lastArrival = at;
      take({ at, before, hasWaited, origin: at - (samples * 1000) / rateHz });
    },
    /** How many samples have a final time: none at first, and late ones only once the reason for the delay is known. */
    decided(): number {
      if (settling) return 0;
      return late[0]?.before ?? Number.POSITIVE_INFINITY;
    },
    /** Milliseconds since 1970, never after its arrival. @param sample from 0, never lower than in an earlier call */
    timeOf(sample: number): number {
      while (origins[1] && origins[1].from <= sample) origins.shift();
      return (origins[0]?.origin ?? Number.NaN) + (sample * 1000) / rateHz;
    },
    /** Makes the times of all samples so far final. */
    decideNow(): void {
      if (settling) begin(settling.arrivals);
      const [first] = late;
      const last = late.at(-1);
      if (first && last && last.at - first.at >= LAST_MS) step();
      late = [];
    },
  };
}

const leastOf = (arrivals: readonly Arrival[]): number =>
  arrivals.reduce((least, { origin }) => Math.min(least, origin), Number.POSITIVE_INFINITY);

/** The lower envelope of origins: the earliest of each second in the last {@link WINDOW_MS}. */
function createEnvelope() {
  let seconds: { readonly begun: number; at: number; origin: number }[] = [];
  let begun: number | undefined;
  let isFull = false;

  /** How fast the envelope rises, in ms per ms. 0 if its halves differ no more than single arrivals do. */
  function riseOf(whole: typeof seconds): number {
    const half = whole.length >> 1;
    const [older, newer] = [whole.slice(0, half), whole.slice(half)].map(
      (part) => part.sort((a, b) => a.origin - b.origin)[0],
    );
    if (!older || !newer || newer.origin - older.origin < DRIFTS_MS) return 0;
    return (newer.origin - older.origin) / (newer.at - older.at);
  }

  return {
    /** @returns the current value of the envelope, how fast it rises, and whether it spans the whole window */
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
