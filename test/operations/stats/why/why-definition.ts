// The episodes of a part of a day by their definition (docs/reference/statistics.md), over all its points.
import { BANDS } from '../../../../src/contract/bands.ts';

/** A point with a level, at a time in microseconds, with its level as stored: a real. */
export interface Sample {
  readonly at: number;
  readonly level: number;
  readonly frequency: number;
}

const MINUTE = 60e6;
const power = (level: number) => 10 ** (level / 10);
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const median = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return Math.round(((low + high) / 2) * 100) / 100;
};

/** L90 to a tenth of a dB. */
export function l90Of(samples: readonly Sample[]): number {
  const tenths = samples.map(({ level }) => Math.round(level * 10)).sort((a, b) => a - b);
  return (tenths[Math.ceil(tenths.length / 10) - 1] ?? 0) / 10;
}

interface Minute {
  readonly samples: readonly Sample[];
  readonly mean: number;
  readonly deviation: number;
}

function minutesOf(samples: readonly Sample[], from: number, to: number): Minute[] {
  return Array.from({ length: Math.ceil((to - from) / MINUTE) }, (_, index) => {
    const start = from + index * MINUTE;
    const its = samples.filter(({ at }) => at >= start && at < start + MINUTE);
    const mean = sum(its.map(({ level }) => level)) / its.length;
    const leq = 10 * Math.log10(sum(its.map(({ level }) => power(level))) / its.length);
    return { samples: its, mean, deviation: Math.sqrt(Math.max(0, leq - mean) / 0.115) };
  });
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function steadySpans(minutes: readonly Minute[], background: number): { first: number; end: number }[] {
  const steady = minutes.map(
    ({ samples, mean, deviation }) =>
      samples.length >= 10 &&
      mean - 1.28 * deviation >= background + 5 - 1e-5 &&
      2.56 * deviation <= 8 + 1e-5,
  );
  const runs: { first: number; end: number }[] = [];
  for (let first = 0; first < steady.length; first++) {
    if (!steady[first]) continue;
    let end = first + 1;
    for (let next = end; next < steady.length && next - end <= 3; next++) if (steady[next]) end = next + 1;
    if (end - first >= 3) runs.push({ first, end });
    first = end;
  }
  return runs.flatMap(({ first, end }) => {
    const isStep = (at: number) => {
      const beside = (from: number, to: number) =>
        minutes
          .slice(Math.max(first, from), Math.min(end, to))
          .flatMap(({ mean }, index) => (steady[Math.max(first, from) + index] ? [mean] : []));
      const [before, after] = [beside(at - 5, at), beside(at, at + 5)];
      return before.length > 0 && after.length > 0 && Math.abs(median(after) - median(before)) >= 5 - 1e-5;
    };
    const cuts: number[] = [];
    for (let at = first + 3; at <= end - 3; at++) {
      if (!isStep(at)) continue;
      let last = at;
      while (last + 1 <= end - 3 && isStep(last + 1)) last++;
      cuts.push(Math.floor((at + last) / 2));
      at = last;
    }
    const ends = [first, ...cuts, end];
    return ends.slice(1).map((to, index) => ({ first: ends[index] ?? 0, end: to }));
  });
}

/** Events above a level in a span: the rule of events.list with hold 10 s, hysteresis 3 dB and minimum 5 s. */
function eventsIn(samples: readonly Sample[], { from, to }: Span, level: number, spacing: number): Span[] {
  const threshold = Math.fround(Number((level + 10).toFixed(6)));
  const floor = Math.fround(Number((level + 10).toFixed(6)) - 3);
  const within = samples.filter(({ at }) => at >= from && at < to);
  const runs: Sample[][] = [];
  for (const sample of within.filter((each) => each.level > floor)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && sample.at - last.at <= 10e6) run.push(sample);
    else runs.push([sample]);
  }
  return runs.flatMap((run) => {
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last || run.every((each) => each.level <= threshold)) return [];
    const next = samples.find(({ at }) => at > last.at && at <= last.at + 10e6);
    const end = Math.min(to, next?.at ?? last.at + spacing);
    return end - first.at >= 5e6 ? [{ from: first.at, to: end }] : [];
  });
}

interface Sound extends Span {
  readonly isSteady: boolean;
  readonly deviation: number;
  readonly samples: readonly Sample[];
}

const bandAt = (frequency: number) =>
  BANDS.findIndex(({ from_hz, to_hz }) => frequency >= from_hz && frequency < to_hz);
const bandPowers = (samples: readonly Sample[]) =>
  BANDS.map((_, band) =>
    Number(
      sum(
        samples.filter(({ frequency }) => bandAt(frequency) === band).map(({ level }) => power(level)),
      ).toPrecision(9),
    ),
  );
const mainBand = (samples: readonly Sample[]) => {
  const powers = bandPowers(samples);
  return powers.indexOf(Math.max(...powers));
};

/**
 * @param samples the points with a level outside exclusions, in order
 * @param open the stretches of the part up to now that no exclusion covers
 * @param assessed the stretch whose energy counts
 */
export function episodesBy(
  samples: readonly Sample[],
  open: readonly Span[],
  {
    background,
    spacing,
    used,
    assessed,
  }: { background: number; spacing: number; used: number; assessed: Span },
) {
  const [from, to] = [open[0]?.from ?? 0, open.at(-1)?.to ?? 0];
  const minutes = minutesOf(samples, from, to);
  const runs = steadySpans(minutes, background).map(({ first, end }) => ({
    from: from + first * MINUTE,
    to: Math.min(to, from + end * MINUTE),
    minutes: minutes.slice(first, end),
  }));
  const extended = runs.map((run, index) => {
    const reachBack = Math.max(runs[index - 1]?.to ?? 0, run.from - MINUTE);
    const reachOn = Math.min(runs[index + 1]?.from ?? Number.POSITIVE_INFINITY, run.to + MINUTE);
    const since = open.find((each) => each.from < run.from && each.to >= run.from)?.from ?? run.from;
    const until = open.find((each) => each.from <= run.to && each.to > run.to)?.to ?? run.to;
    const before = samples.filter(({ at }) => at >= Math.max(since, reachBack) && at < run.from);
    const after = samples.filter(({ at }) => at >= run.to && at < Math.min(until, reachOn));
    const level = background + 5;
    const lastLow = before.findLast((each) => each.level < level)?.at ?? -1;
    const firstLow = after.find((each) => each.level < level)?.at;
    const start = before.find(({ at }) => at > lastLow)?.at ?? run.from;
    const isLonger = after.some(({ at }) => firstLow === undefined || at < firstLow);
    const end = isLonger ? (firstLow ?? Math.min(until, reachOn)) : run.to;
    return { ...run, from: start, to: end };
  });
  for (const [index, run] of extended.entries())
    run.from = Math.max(extended[index - 1]?.to ?? run.from, run.from);
  const measured = (span: Span) =>
    open.flatMap((each) => {
      const [since, until] = [Math.max(each.from, span.from), Math.min(each.to, span.to)];
      return since < until ? [{ from: since, to: until }] : [];
    });
  const between = [from, ...extended.flatMap((run) => [run.from, run.to]), to];
  const gaps = between.flatMap((start, index) =>
    index % 2 === 0 ? measured({ from: start, to: between[index + 1] ?? start }) : [],
  );
  const events = [
    ...gaps.flatMap((gap) => eventsIn(samples, gap, background, spacing)),
    ...extended.flatMap((run) => {
      const levels = run.minutes.flatMap((minute) => minute.samples.map(({ level }) => level));
      return measured(run).flatMap((span) => eventsIn(samples, span, sum(levels) / levels.length, spacing));
    }),
  ].sort((a, b) => a.from - b.from);
  const inside = (spans: readonly Span[]) =>
    samples.filter(({ at }) => spans.some((span) => at >= span.from && at < span.to));
  const sounds: Sound[] = [
    ...extended.map((run) => {
      const its = inside([run]).filter(
        ({ at }) => !events.some((event) => at >= event.from && at < event.to),
      );
      const deviations = run.minutes
        .map(({ deviation }) => deviation)
        .filter((each) => !Number.isNaN(each))
        .sort((a, b) => a - b);
      return { ...run, isSteady: true, deviation: deviations[deviations.length >> 1] ?? 0, samples: its };
    }),
    ...events.map((event) => ({ ...event, isSteady: false, deviation: 0, samples: inside([event]) })),
  ].filter((sound) => sound.samples.length > 0);
  const total = sum(samples.map(({ level }) => power(level)));
  const excess = (its: readonly Sample[]) => sum(its.map(({ level }) => power(level) - power(background)));
  const groups: { kind: string; sounds: Sound[]; runs: Span[] }[] = [];
  const leq = (its: readonly Sample[]) =>
    10 * Math.log10(sum(its.map(({ level }) => power(level))) / its.length);
  for (const sound of sounds
    .filter(({ isSteady }) => isSteady)
    .toSorted((a, b) => Number(leq(b.samples).toFixed(5)) - Number(leq(a.samples).toFixed(5)))) {
    const isTone =
      Math.max(...bandPowers(sound.samples)) >= 0.8 * sum(sound.samples.map(({ level }) => power(level))) &&
      2.56 * sound.deviation <= 4;
    const kind = isTone ? 'tone' : 'steady';
    const own = groups.find(({ kind: other, sounds: [first] }) => {
      if (!first || other !== kind) return false;
      return (
        Math.abs(mainBand(first.samples) - mainBand(sound.samples)) <= 1 &&
        leq(first.samples) - leq(sound.samples) <= 3
      );
    });
    if (own) {
      own.sounds.push(sound);
      own.runs.push(sound);
    } else groups.push({ kind, sounds: [sound], runs: [sound] });
  }
  const clusters: Sound[][] = [];
  for (const event of sounds.filter(({ isSteady }) => !isSteady)) {
    const last = clusters.at(-1)?.at(-1);
    if (last && event.from - last.to <= 60e6) clusters.at(-1)?.push(event);
    else clusters.push([event]);
  }
  const bursts: typeof groups = [];
  const singles: Sound[] = [];
  for (const cluster of clusters) {
    const run = { from: cluster[0]?.from ?? 0, to: Math.max(...cluster.map((each) => each.to)) };
    if (
      run.to - run.from < 180e6 ||
      2 * sum(cluster.map((each) => each.to - each.from)) < run.to - run.from
    ) {
      singles.push(...cluster);
      continue;
    }
    const last = bursts.at(-1);
    const samplesOf = (some: readonly Sound[]) => some.flatMap((each) => each.samples);
    if (
      last &&
      run.from - (last.runs.at(-1)?.to ?? 0) <= 900e6 &&
      Math.abs(mainBand(samplesOf(last.sounds)) - mainBand(samplesOf(cluster))) <= 3
    ) {
      last.sounds.push(...cluster);
      last.runs.push(run);
    } else bursts.push({ kind: 'bursts', sounds: [...cluster], runs: [run] });
  }
  groups.push(...bursts);
  const passing = new Map<number, Sound[]>();
  for (const event of singles) {
    if (excess(event.samples) >= 0.05 * total) groups.push({ kind: 'event', sounds: [event], runs: [event] });
    else {
      const hz = BANDS[mainBand(event.samples)]?.nominal_hz ?? 0;
      const pitch = hz <= 250 ? 0 : hz <= 1250 ? 1 : 2;
      passing.set(pitch, [...(passing.get(pitch) ?? []), event]);
    }
  }
  for (const its of passing.values()) groups.push({ kind: 'passing', sounds: its, runs: its });
  const counted = samples.filter(({ at }) => at >= assessed.from && at < assessed.to);
  const assessedTotal = sum(counted.map(({ level }) => power(level)));
  return groups
    .map(({ kind, sounds: its, runs: spans }) => {
      const all = its.flatMap((each) => each.samples);
      const main = mainBand(all);
      const above = excess(all.filter(({ at }) => at >= assessed.from && at < assessed.to));
      return {
        kind,
        from: Math.min(...spans.map((each) => each.from)),
        to: Math.max(...spans.map((each) => each.to)),
        duration_seconds: sum(spans.map((each) => each.to - each.from)) / 1e6,
        leq_db: leq(all),
        max_db: Math.max(...all.map(({ level }) => level)),
        band_main_hz: BANDS[main]?.nominal_hz ?? null,
        share_percent: (used * above) / assessedTotal,
        level_without_db: 10 * Math.log10((assessedTotal - above) / counted.length),
        run_count: spans.length,
        run_maxima: spans
          .map((each) =>
            Math.max(...all.filter(({ at }) => at >= each.from && at < each.to).map(({ level }) => level)),
          )
          .sort((a, b) => b - a),
      };
    })
    .sort(
      (a, b) =>
        Number(b.share_percent.toPrecision(9)) - Number(a.share_percent.toPrecision(9)) || a.from - b.from,
    );
}
