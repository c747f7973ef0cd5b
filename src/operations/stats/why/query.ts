// Finds the episodes that made each part of a day loud. Finished parts are kept in memory.
import { LRUCache } from 'lru-cache';
import { BANDS } from '../../../contract/bands.ts';
import { addSeconds, ceilTo, floorTo, type Interval, microsOf } from '../../../contract/instant.ts';
import type { Judgement, Limit } from '../../../contract/limits.ts';
import { earlier, rangeOf } from '../../../contract/ranges.ts';
import { spacing } from '../../../points/point-times.ts';
import { exceededLevels } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { answerAll } from '../../../rollups/rollup-planner.ts';
import { stampsOf } from '../../../rollups/stamps.ts';
import { annotationsOf, type Rollups, type Store } from '../../../rollups/store.ts';
import { TooManyPoints } from '../../events/search-runs-back.ts';
import { touchingHistory } from '../../history-ends.ts';
import { changesOfScale, scaleOfAnswer } from '../../periods.ts';
import { DAY_MICROS, HALF_HOUR, medianOf } from '../backgrounds.ts';
import { bucketsBetween, bucketsOf, totalsByBucket } from '../buckets.ts';
import type { LimitPart } from '../limits/contract.ts';
import { type LimitedPart, limitParts } from '../limits/limit-parts.ts';
import { againstLimits } from '../limits/query.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import { intervalHistogram } from '../summary/query.ts';
import type { Causes, Episode } from './contract.ts';
import { areNear, episodesOf, type MeasuredSound } from './episodes.ts';
import { energiesOf, findSounds } from './read-sounds.ts';

export interface CausesQuery {
  /** Whole parts, in order. */
  readonly parts: readonly LimitedPart[];
  readonly limits: readonly Limit[];
  /** Whether levels are compared with the limits, or these only part the day. */
  readonly isCompared: boolean;
  readonly judgement: Judgement;
  readonly timeZone: string;
  readonly calibrationOffsetDb: number | null;
  readonly now: string;
}

/** The days before a part whose background counts. */
const DAYS_BEFORE = 7;

/** The most parts to remember for a station: a month of days and nights. */
const MOST_PARTS = 64;
const memories = new WeakMap<Rollups, LRUCache<string, Causes>>();

/** @returns the causes of each part, in order. Each episode lists the earlier ones like it */
export async function causesOf(store: Store, query: CausesQuery): Promise<Causes[]> {
  const { parts, now } = query;
  const memory = memories.get(store.rollups) ?? new LRUCache({ max: MOST_PARTS });
  memories.set(store.rollups, memory);
  const stamps = await stampsOf(
    store,
    parts.map(({ from, to }) => ({
      from: floorTo(microsOf(from) - BigInt(DAYS_BEFORE + 1) * DAY_MICROS, DAY_MICROS),
      to: ceilTo(microsOf(to), HALF_HOUR),
    })),
  );
  const backgrounds = new Map<string, number | null>();
  const found: Causes[] = [];
  for (const [at, part] of parts.entries()) {
    const { parts: _parts, now: _now, limits, ...facts } = query;
    const key = part.to <= now && JSON.stringify([stamps[at], part, limits, facts]);
    const known = key && stamps[at] !== undefined ? memory.get(key) : undefined;
    const causes = known ?? (await causesOfPart(store, part, query, backgrounds));
    if (key && stamps[at] !== undefined) memory.set(key, causes);
    found.push(causes);
  }
  return found.map((causes, at) => withEarlier(causes, found.slice(0, at)));
}

async function causesOfPart(
  store: Store,
  part: LimitedPart,
  query: CausesQuery,
  backgrounds: Map<string, number | null>,
): Promise<Causes> {
  const { limits, isCompared, judgement, calibrationOffsetDb, now } = query;
  const interval: Interval = { from: part.from, to: part.to };
  const past = { from: part.from, to: earlier(part.to, now) };
  const scale = await scaleOfAnswer(store, interval);
  const compared = isCompared
    ? (
        await againstLimits(store, {
          interval,
          now,
          limits,
          parts: [part],
          judgement,
          scale,
          calibrationOffsetDb,
          counted: null,
        })
      ).parts[0]
    : undefined;
  const causes: Causes = {
    ...interval,
    is_running: part.to > now,
    limit_db: compared?.limit_db ?? null,
    penalty_db: compared?.penalty_db ?? null,
    state: compared?.state ?? null,
    used_percent: compared?.used_percent ?? null,
    assessed_from: null,
    assessed_to: null,
    background_db: null,
    at_least: false,
    enough: null,
    episodes_reason: null,
    episodes: [],
  };
  if (scale.energy_unavailable) return { ...causes, episodes_reason: 'energy_of_maxima' };
  if (scale.unit === null || compared?.reason === 'two_scales')
    return { ...causes, episodes_reason: 'two_scales' };
  const background_db = await backgroundOf(store, part, query, backgrounds);
  if ((await touchingHistory(store, [rangeOf(part)])).size > 0)
    return { ...causes, episodes_reason: 'points_removed' };
  if (background_db === null || past.from >= past.to) return causes;
  const assessed = assessedIn(part, past, compared, now);
  const [minutes, [assessedTotals = addUp([])], isOverloaded] = await answerAll<
    [Totals[], Totals[], boolean | undefined]
  >(store, [
    totalsByBucket(bucketsOf(past, 60)),
    totalsByBucket(bucketsBetween(assessed, [assessed.from, assessed.to])),
    anyOverload(store, past),
  ]);
  const totals = addUp(minutes);
  const [overload] = await overloadBetween(
    store,
    isOverloaded,
    past,
    [past.from, past.to],
    [totals.point_count],
  );
  const described = {
    ...causes,
    assessed_from: assessed.from,
    assessed_to: assessed.to,
    background_db,
    at_least: totals.over_range > 0 || (overload?.first ?? null) !== null,
  };
  try {
    const spacing_seconds = await spacing(store, past.to, now);
    const sounds = await findSounds(store, { past, background_db, minutes, spacing_seconds, now });
    const energies = await energiesOf(store, sounds, rangeOf(assessed));
    const measured = sounds.flatMap((sound, index): MeasuredSound[] => {
      const energy = energies[index];
      return energy && energy.level_count > 0 ? [{ ...sound, energy }] : [];
    });
    const episodes = episodesOf(measured, {
      ...rangeOf(past),
      background_db,
      totals,
      assessed: assessedTotals,
      used_percent: causes.used_percent ?? 100,
    });
    return { ...described, episodes, enough: enoughOf(causes.used_percent, episodes) };
  } catch (error) {
    if (!(error instanceof TooManyPoints)) throw error;
    return { ...described, episodes_reason: 'too_many_points' };
  }
}

/** L90 of the part, or the median of those of the same part of the days before, if that is lower. */
async function backgroundOf(
  store: Store,
  part: LimitedPart,
  { limits, timeZone, now }: CausesQuery,
  backgrounds: Map<string, number | null>,
): Promise<number | null> {
  const l90Of = async (interval: Interval) => {
    const key = `${interval.from} ${interval.to}`;
    const known = backgrounds.get(key);
    if (known !== undefined) return known;
    const { levels, gone_count } = await intervalHistogram(store, interval);
    const l90 = gone_count > 0 ? null : exceededLevels(levels)(90);
    backgrounds.set(key, l90);
    return l90;
  };
  const own = await l90Of({ from: part.from, to: earlier(part.to, now) });
  const change = changesOfScale(annotationsOf(store)).findLast((time) => time < microsOf(part.to));
  const since = addSeconds(part.from, -86_400 * (DAYS_BEFORE + 1)) ?? part.from;
  const before = limitParts({ from: since, to: part.from }, timeZone, limits, 'part', DAYS_BEFORE + 3)
    .filter((each) => each.limit === part.limit && each.to <= part.from && each.from >= since)
    .filter((each) => change === undefined || microsOf(each.from) >= change)
    .slice(-DAYS_BEFORE);
  const levels: number[] = [];
  for (const each of before) levels.push(...[await l90Of(each)].flatMap((level) => level ?? []));
  const usual = medianOf(levels);
  return own === null || usual === null ? own : Math.min(own, usual);
}

const LENGTH_SECONDS = { hour: 3600, '15m': 900 };

/** The stretch whose energy `used_percent` is: the part up to now, or its loudest hour or quarter. */
function assessedIn(
  part: LimitedPart,
  past: Interval,
  compared: LimitPart | undefined,
  now: string,
): Interval {
  if (!compared || compared.assess === 'part' || compared.used_percent === null) return past;
  const { assess, assessed_from, assessed_db, limit_db, used_percent } = compared;
  const ofLoudest = assessed_db === null ? 0 : 100 * 10 ** ((assessed_db - limit_db) / 10);
  const running = part.stretches?.find(({ from, to }) => from < now && to > now);
  if (running && used_percent > ofLoudest * (1 + 1e-9)) return { from: running.from, to: now };
  const to = assessed_from === null ? undefined : addSeconds(assessed_from, LENGTH_SECONDS[assess]);
  return assessed_from === null || to === undefined ? past : { from: assessed_from, to };
}

/** How many of the first episodes must be gone for the part to be within its limit. */
function enoughOf(used_percent: number | null, episodes: readonly Episode[]): number | null {
  if (used_percent === null) return null;
  let left = used_percent;
  if (left <= 100) return 0;
  const index = episodes.findIndex(({ kind, share_percent }) => {
    left -= kind === 'background' ? 0 : share_percent;
    return left <= 100;
  });
  return index < 0 ? null : index + 1;
}

/** Passing sounds and the background are in every part. */
const RECURRING = new Set<Episode['kind']>(['tone', 'steady', 'bursts', 'event']);
const NEAR_THIRDS = 2;

function withEarlier(causes: Causes, earlier: readonly Causes[]): Causes {
  const before = earlier.flatMap(({ episodes }) => episodes);
  const episodes = causes.episodes.map((episode) => {
    const isAgain = (other: Episode) =>
      other.kind === episode.kind && areNear(bandAt(other), bandAt(episode), NEAR_THIRDS);
    const again = RECURRING.has(episode.kind) ? before.filter(isAgain) : [];
    return { ...episode, again: again.map(({ from, to }) => ({ from, to })) };
  });
  return { ...causes, episodes };
}

const bandAt = ({ band_main_hz }: Episode) => {
  const index = BANDS.findIndex(({ nominal_hz }) => nominal_hz === band_main_hz);
  return index < 0 ? null : index;
};
