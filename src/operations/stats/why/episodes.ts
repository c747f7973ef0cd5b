// Joins the sounds of a part of a day into episodes: what made it loud, with the share of each.
import { BANDS } from '../../../contract/bands.ts';
import { instantOfMicros, type Range } from '../../../contract/instant.ts';
import { later } from '../../../contract/ranges.ts';
import type { Totals } from '../../../rollups/histogram.ts';
import type { Episode } from './contract.ts';
import type { Energy, SoundRun } from './read-sounds.ts';
import { l10MinusL90, TONE_SPREAD_DB } from './steady-runs.ts';

const SECOND = 1_000_000n;
/** Events this close form bursts, if they last this long together and fill half of it. So does a single long one. */
const [BURST_PAUSE, LEAST_BURSTS] = [60n * SECOND, 180n * SECOND];
/** Bursts this close are one episode, if their main bands are at most this many thirds apart. */
const [BURSTS_PAUSE, BURSTS_BANDS] = [900n * SECOND, 3];
/** Steady runs of neighbouring bands are one episode if their levels differ by at most this. */
const REPEATED_DB = 3;
/** An event is an episode of its own if it has this share of the energy of the part. */
const LARGE_SHARE = 0.05;
/** One band with this share of the energy makes a tone; the bands of an episode have it together. */
const MAIN_SHARE = 0.8;
/** The first bands of middle and high pitch: 315 and 1600 Hz. */
const [MIDDLE, HIGH] = [5, 12];
const MOST_RUNS = 200;

/** What episodes are measured against. */
export interface Whole extends Range {
  readonly background_db: number;
  /** The points of the part up to now. */
  readonly totals: Totals;
  /** Those of the assessed stretch: the part, or its loudest hour or quarter. */
  readonly assessed: Pick<Totals, 'level_count' | 'power_sum'>;
  /** What the shares add up to. */
  readonly used_percent: number;
}

type Kind = Episode['kind'];

/** Sounds that form an episode, and the runs to show. */
interface Group {
  readonly kind: Kind;
  readonly sounds: readonly MeasuredSound[];
  /** Each run is a sound, or bursts that follow each other. */
  readonly runs: readonly (readonly MeasuredSound[])[];
}

export interface MeasuredSound extends SoundRun {
  readonly energy: Energy;
}

/** @param sounds in order of time. @returns the episodes, those with the most energy first, and the background last */
export function episodesOf(sounds: readonly MeasuredSound[], whole: Whole): Episode[] {
  const groups = [
    ...groupsOfSteady(sounds.filter(({ isSteady }) => isSteady)),
    ...groupsOfEvents(
      sounds.filter(({ isSteady }) => !isSteady),
      whole,
    ),
  ];
  const episodes = groups.map((group) => episodeOf(group, whole));
  // the last digits of sums depend on the order of adding, so equals would come in any order
  const rank = ({ share_percent }: Episode) => Number(share_percent.toPrecision(9));
  episodes.sort((a, b) => rank(b) - rank(a) || (a.from < b.from ? -1 : 1));
  return [...episodes, backgroundOf(groups, episodes, whole)];
}

/** A run is the first of a group, or as loud as the first and of nearly the same band. The loudest run comes first. */
function groupsOfSteady(sounds: readonly MeasuredSound[]): Group[] {
  const levelOf = ({ energy }: MeasuredSound) => Number(leqOf(energy)?.toFixed(5) ?? 0);
  const groups: { kind: Kind; sounds: MeasuredSound[]; band: number | null; level: number }[] = [];
  for (const sound of sounds.toSorted((a, b) => levelOf(b) - levelOf(a))) {
    const [kind, band, level] = [kindOfSteady(sound), mainBand(sound.energy.bands), levelOf(sound)];
    const own = groups.find(
      (group) => group.kind === kind && areNear(group.band, band, 1) && group.level - level <= REPEATED_DB,
    );
    if (own) own.sounds.push(sound);
    else groups.push({ kind, sounds: [sound], band, level });
  }
  return groups.map((group) => ({ ...group, runs: eachAlone(group.sounds) }));
}

const eachAlone = (sounds: readonly MeasuredSound[]) => sounds.map((sound) => [sound]);

function kindOfSteady({ energy: { bands, power_sum }, deviation_db }: MeasuredSound): Kind {
  const main = Math.max(0, ...bands.values());
  return main >= MAIN_SHARE * power_sum && l10MinusL90(deviation_db) <= TONE_SPREAD_DB ? 'tone' : 'steady';
}

function groupsOfEvents(events: readonly MeasuredSound[], whole: Whole): Group[] {
  const clusters: MeasuredSound[][] = [];
  for (const event of events) {
    const cluster = clusters.at(-1);
    const last = cluster?.at(-1);
    if (cluster && last && event.from - last.to <= BURST_PAUSE) cluster.push(event);
    else clusters.push([event]);
  }
  const bursts: { kind: Kind; sounds: MeasuredSound[]; runs: MeasuredSound[][] }[] = [];
  const single: MeasuredSound[] = [];
  for (const cluster of clusters) {
    const run = spanOf(cluster);
    const filled = cluster.reduce((sum, { from, to }) => sum + to - from, 0n);
    if (run.to - run.from < LEAST_BURSTS || 2n * filled < run.to - run.from) {
      single.push(...cluster);
      continue;
    }
    const last = bursts.at(-1);
    const pause = run.from - spanOf(last?.runs.at(-1) ?? []).to;
    if (last && pause <= BURSTS_PAUSE && areNear(bandOf(last.sounds), bandOf(cluster), BURSTS_BANDS)) {
      last.sounds.push(...cluster);
      last.runs.push(cluster);
    } else bursts.push({ kind: 'bursts', sounds: cluster, runs: [cluster] });
  }
  const isLarge = ({ energy }: MeasuredSound) =>
    excessOf(energy, whole) >= LARGE_SHARE * whole.totals.power_sum;
  const passing = Map.groupBy(
    single.filter((event) => !isLarge(event)),
    ({ energy }) => pitchOf(mainBand(energy.bands)),
  );
  return [
    ...bursts,
    ...single.filter(isLarge).map((event) => ({ kind: 'event' as const, sounds: [event], runs: [[event]] })),
    ...[...passing.values()].map((its) => ({ kind: 'passing' as const, sounds: its, runs: eachAlone(its) })),
  ];
}

const spanOf = (sounds: readonly Range[]): Range => ({
  from: sounds[0]?.from ?? 0n,
  to: sounds.reduce((last, { to }) => later(last, to), 0n),
});

/** 0 is low, 1 middle, 2 high; null without a band. */
const pitchOf = (band: number | null) => (band === null ? null : band < MIDDLE ? 0 : band < HIGH ? 1 : 2);

/** Whether two bands are at most so many thirds apart, or both unknown. */
export const areNear = (a: number | null, b: number | null, thirds: number) =>
  a === null || b === null ? a === b : Math.abs(a - b) <= thirds;

function sumOf(energies: readonly Energy[]) {
  const bands = new Map<number, number>();
  for (const energy of energies)
    for (const [band, power] of energy.bands) bands.set(band, (bands.get(band) ?? 0) + power);
  const sum = (of: (energy: Energy) => number) => energies.reduce((all, each) => all + of(each), 0);
  return {
    bands,
    level_count: sum((each) => each.level_count),
    power_sum: sum((each) => each.power_sum),
    max_db: maximumOf(energies),
    assessed: {
      level_count: sum(({ assessed }) => assessed.level_count),
      power_sum: sum(({ assessed }) => assessed.power_sum),
    },
  };
}

function maximumOf(energies: readonly Energy[]): number | null {
  const levels = energies.flatMap(({ max_db }) => max_db ?? []);
  return levels.length > 0 ? Math.max(...levels) : null;
}

const bandOf = (sounds: readonly MeasuredSound[]) =>
  mainBand(sumOf(sounds.map(({ energy }) => energy)).bands);

/** @returns the index of the band with the most energy, the lowest among equals; null without any */
export function mainBand(bands: ReadonlyMap<number, number>): number | null {
  const ranked = [...bands].map(([band, power]) => [band, Number(power.toPrecision(9))] as const);
  const [main] = ranked.sort(([a, x], [b, y]) => y - x || a - b);
  return main?.[0] ?? null;
}

/** The main band, and the louder of the bands beside it until they hold most of the energy together. */
function bandsOf(bands: ReadonlyMap<number, number>): [first: number, last: number] | null {
  const main = mainBand(bands);
  if (main === null) return null;
  const powerOf = (band: number) => Number((bands.get(band) ?? 0).toPrecision(9));
  const all = [...bands.values()].reduce((sum, power) => sum + power, 0);
  let [first, last, held] = [main, main, powerOf(main)];
  while (held < MAIN_SHARE * all && (first > 0 || last < BANDS.length - 1)) {
    const isUp = first === 0 || (last < BANDS.length - 1 && powerOf(last + 1) > powerOf(first - 1));
    const next = isUp ? ++last : --first;
    held += powerOf(next);
  }
  return [first, last];
}

type Sums = Pick<Energy, 'level_count' | 'power_sum'>;

const leqOf = ({ level_count, power_sum }: Sums) =>
  level_count > 0 ? 10 * Math.log10(power_sum / level_count) : null;

const excessOf = ({ level_count, power_sum }: Sums, { background_db }: Pick<Whole, 'background_db'>) =>
  power_sum - level_count * 10 ** (background_db / 10);

function episodeOf({ kind, sounds, runs }: Group, whole: Whole): Episode {
  const energy = sumOf(sounds.map((sound) => sound.energy));
  const excess = excessOf(energy.assessed, whole);
  const bands = bandsOf(energy.bands);
  const { level_count, power_sum } = whole.assessed;
  const lengthOf = ({ from, to }: Range) => to - from;
  const spans = runs.map((its) => ({ ...spanOf(its), max_db: maximumOf(its.map((each) => each.energy)) }));
  const longest = spans.toSorted((a, b) => Number(lengthOf(b) - lengthOf(a)) || (a.from < b.from ? -1 : 1));
  const { from, to } = spanOf(spans.toSorted((a, b) => (a.from < b.from ? -1 : 1)));
  return {
    kind,
    from: instantOfMicros(from),
    to: instantOfMicros(to),
    duration_seconds: Number(spans.reduce((sum, run) => sum + lengthOf(run), 0n)) / 1e6,
    leq_db: leqOf(energy),
    max_db: energy.max_db,
    band_main_hz: nominal(mainBand(energy.bands)),
    band_from_hz: nominal(bands?.[0]),
    band_to_hz: nominal(bands?.[1]),
    share_percent: power_sum > 0 ? (whole.used_percent * excess) / power_sum : 0,
    level_without_db: leqOf({ level_count, power_sum: power_sum - excess }),
    run_count: runs.length,
    runs: longest
      .slice(0, MOST_RUNS)
      .map((run) => ({ ...run, from: instantOfMicros(run.from), to: instantOfMicros(run.to) })),
    again: [],
  };
}

const nominal = (band: number | null | undefined) =>
  band == null ? null : (BANDS[band]?.nominal_hz ?? null);

/** All that the episodes leave: the sound between them, and the background below them. */
function backgroundOf(groups: readonly Group[], episodes: readonly Episode[], whole: Whole): Episode {
  const energy = sumOf(groups.flatMap(({ sounds }) => sounds.map((sound) => sound.energy)));
  const share_percent = episodes.reduce((left, each) => left - each.share_percent, whole.used_percent);
  const { level_count, power_sum } = whole.assessed;
  const [from, to] = [instantOfMicros(whole.from), instantOfMicros(whole.to)];
  const rest = {
    level_count: whole.totals.level_count - energy.level_count,
    power_sum: whole.totals.power_sum - energy.power_sum,
  };
  const without = excessOf(energy.assessed, whole);
  const covered = episodes.reduce((sum, each) => sum + each.duration_seconds, 0);
  return {
    kind: 'background',
    from,
    to,
    duration_seconds: Math.max(0, Number(whole.to - whole.from) / 1e6 - covered),
    leq_db: rest.power_sum > 0 ? leqOf(rest) : null,
    max_db: null,
    band_main_hz: null,
    band_from_hz: null,
    band_to_hz: null,
    share_percent,
    level_without_db: without > 0 && power_sum > 0 ? leqOf({ level_count, power_sum: without }) : null,
    run_count: 0,
    runs: [],
    again: [],
  };
}
