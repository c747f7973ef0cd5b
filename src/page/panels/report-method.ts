// How what a report tells was measured, in words.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { countText, NOTHING, percentText, settingText, timeText, windowText } from '../locale-format.ts';
import { criteriaOf } from '../state/api-queries.ts';
import type { Interval } from '../state/interval.ts';
import { iso } from '../state/shown-interval.ts';
import { timeZone } from '../state/time-zone.ts';
import { type View, writeView } from '../state/view-in-address.ts';
import { ruleText } from './words.ts';

type Info = Outputs['service']['info'];
type Period = Info['periods'][number];

interface MethodData {
  readonly info: Info;
  readonly interval: Interval;
  readonly view: View;
  readonly scale: Scale;
  readonly quality: Outputs['stats']['quality'] | undefined;
}

/** How many periods are told, the newest. */
const MOST_PERIODS = 4;

/** @returns the periods of an interval, oldest first */
function periodsIn({ periods }: Info, { from, to }: Interval): Period[] {
  const isIn = ({ since }: Period, place: number) => {
    const next = periods[place - 1]; // the newest is the first
    return Date.parse(since) < to && (next === undefined || Date.parse(next.since) > from);
  };
  return periods.filter(isIn).toReversed();
}

const STATISTIC_TEXTS = {
  leq: 'RMS of each window',
  max: 'maximum of each window',
  sample: 'momentary levels',
} as const satisfies Record<NonNullable<Period['statistic']>, string>;

/** Such as `windows of 125 ms, A-weighted, fast, maximum of each window, reference 95.0 dB`. */
function periodText({
  interval_ms,
  weighting,
  time_weighting,
  reference_db,
  calibration_db,
  channel,
  statistic,
  instrument,
}: Period) {
  if (weighting === null) return 'it is not known how';
  const db = (level: number) => `${settingText(level, { unit: 'dB', offset: 0, isAbsolute: true })} dB`;
  return [
    ...(interval_ms === null ? [] : [`windows of ${windowText(interval_ms)}`]),
    weighting === 'Z' ? 'unweighted (Z)' : `${weighting}-weighted`,
    ...(time_weighting === null ? [] : [time_weighting]),
    ...(statistic === null ? [] : [STATISTIC_TEXTS[statistic]]),
    reference_db === null ? 'relative to full scale' : `reference ${db(reference_db)}`,
    ...(calibration_db === null ? [] : [`full scale ${db(calibration_db)}`]),
    ...(channel === null ? [] : [`channel ${channel}`]),
    ...(instrument === null ? [] : [`instrument ${instrument}`]),
  ].join(', ');
}

/** @returns what each line is about, and the line */
export function methodOf({ info, interval, view, scale, quality }: MethodData): [string, string][] {
  const periods = periodsIn(info, interval);
  const told = periods.slice(-MOST_PERIODS);
  const recorded = told.map((period): [string, string] => [
    periods.length === 1 ? 'Recorded' : `From ${timeText(period.since, 'minute')}`,
    periodText(period),
  ]);
  if (told.length === 0) recorded.push(['Recorded', 'it is not known how']);
  if (told.length < periods.length)
    recorded.unshift(['Recorded', `in ${periods.length} ways, the last of them:`]);
  const { spacing_seconds, spacing_changes, coverage_percent, point_count } = quality ?? {};
  const spacing = spacing_seconds == null ? NOTHING : windowText(spacing_seconds * 1000);
  return [
    ...recorded,
    [
      'Points',
      `${point_count === undefined ? NOTHING : countText(point_count)}, one each ${spacing}${spacing_changes ? ' at the end: the spacing changes' : ''}; measured ${percentText(coverage_percent)} of the time`,
    ],
    ['Levels', `in ${levelsText(scale)}`],
    [
      'Noise events',
      `runs of windows ${ruleText(criteriaOf(view), scale)}${view.aboveBackground === null ? ` ${scale.unit}` : ' (L90 of the half hour before)'}`,
    ],
    ...(info.limits.length === 0
      ? []
      : [
          [
            'Limits',
            info.limits.map((limit) => `${limit.limit_db} dB from ${limit.start} to ${limit.end}`).join(', '),
          ] satisfies [string, string],
        ]),
    ['Service', `Audio Metrics ${info.version}, ${info.database}`],
  ];
}

function levelsText({ unit, offset, isAbsolute }: Scale): string {
  if (isAbsolute)
    return `${unit}: ${settingText(0, { unit, offset, isAbsolute })} dB more than as they are stored`;
  return unit === 'dBFS'
    ? 'dBFS, relative to full scale: they compare with no limit'
    : `${unit}, of several scales: they do not compare`;
}

/** The address of what is printed: it does not move with the clock, nor with the zone of the service. */
export function addressOnPaper(view: View, { from, to }: Interval): string {
  const still = { preset: null, from: iso(from), to: iso(to), timeZone: timeZone(), isLive: false };
  return `${location.origin}${location.pathname}${writeView({ ...view, ...still })}`;
}
