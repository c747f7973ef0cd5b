// Describes in words how the data of a report was measured.
import type { Outputs } from '../../client/index.ts';
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../contract/default-event-rule.ts';
import {
  countText,
  decibelText,
  hertzText,
  limitText,
  listText,
  NOTHING,
  percentText,
  timeText,
  windowText,
} from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import type { Shown } from '../state/shown.ts';
import { type Info, RANGE_DB, type Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { assessText, limitLevelText, uncertaintyText } from './limit-verdict.ts';
import { excludedNote } from './quality.tsx';

const { report: words } = texts;

type Period = Info['periods'][number];

const MOST_PERIODS = 4;

/** @returns the periods of an interval, oldest first */
function periodsIn({ periods }: Info, { from, to }: TimeSpan): Period[] {
  const isIn = ({ since }: Period, index: number) => {
    const next = periods[index - 1]; // the newest is the first
    return Date.parse(since) < to && (next === undefined || Date.parse(next.since) > from);
  };
  return periods.filter(isIn).toReversed();
}

/** For example `windows of 125 ms, A-weighted, fast, maximum of each window, reference 95.0 dB`. */
function periodText(period: Period): string {
  const { interval_ms, weighting, time_weighting, reference_db, calibration_db } = period;
  if (weighting === null) return words.unknownHow;
  return listText([
    interval_ms === null ? '' : words.windows(windowText(interval_ms)),
    weighting === 'Z' ? words.unweighted : words.weighted(weighting),
    time_weighting === null ? '' : words.timeWeightings[time_weighting],
    period.statistic === null ? '' : words.statistics[period.statistic],
    reference_db === null ? words.relative : words.reference(decibelText(reference_db)),
    calibration_db === null ? '' : words.fullScale(decibelText(calibration_db)),
    period.channel === null ? '' : channelText(period.channel),
    period.instrument === null ? '' : words.instrument(period.instrument),
  ]);
}

const channelText = (channel: string) =>
  channel === 'mean' || channel === 'max' ? words.channels[channel] : words.channel(channel);

/** @returns the topic and the text of each line */
export function methodOf(
  { info, interval }: Shown,
  scale: Scale,
  quality: Outputs['stats']['quality'] | undefined,
): [string, string][] {
  const periods = periodsIn(info, interval);
  const named = periods.slice(-MOST_PERIODS);
  const recorded = named.map((period): [string, string] => [
    periods.length === 1 ? words.recorded : words.from(timeText(period.since, 'minute')),
    periodText(period),
  ]);
  if (named.length === 0) recorded.push([words.recorded, words.unknownHow]);
  if (named.length < periods.length) recorded.unshift([words.recorded, words.ways(periods.length)]);
  const { spacing_seconds, coverage_percent, point_count } = quality ?? {};
  const spacing = spacing_seconds == null ? NOTHING : windowText(spacing_seconds * 1000);
  const count = point_count === undefined ? NOTHING : countText(point_count);
  const limits = info.limits.map((limit) =>
    words.limit(`${limitLevelText(limit)} dB(${limit.weighting})`, limit.start, limit.end),
  );
  const judged = words.judged(
    assessText(info.limits, info.assess),
    uncertaintyText(info.uncertainty_db),
    `${limitText(info.min_measured_percent)} %`,
  );
  const lines: [string, string][] = [
    ...recorded,
    [
      texts.figures.points,
      words.pointsEach(count, spacing, percentText(coverage_percent)) +
        (quality ? excludedNote(quality) : ''),
    ],
    [words.levels, levelsText(scale)],
    [texts.events.title, words.runs(DEFAULT_ABOVE_BACKGROUND_DB)],
    [texts.limits.title, limits.length === 0 ? '' : [...limits, judged].join('; ')],
    ...recordOf(info.measurement),
    [words.clock, quality?.clock ? words.clocks[quality.clock] : ''],
    [words.calibrations, calibrationsText(info, interval)],
    [words.service, `Audio Metrics ${info.version}, ${info.database}`],
  ];
  return lines.filter(([, text]) => text !== '');
}

function recordOf(record: Info['measurement']): [string, string][] {
  const { height_m, facade_distance_m, microphone, sound_card, calibrator, windscreen } = record;
  return [
    [
      words.position,
      listText([
        record.position,
        height_m === null ? null : words.height(limitText(height_m)),
        facade_distance_m === null ? null : words.facade(limitText(facade_distance_m)),
      ]),
    ],
    [
      words.equipment,
      listText([
        microphone && words.microphone(microphone),
        sound_card && words.soundCard(sound_card),
        calibrator && words.calibrator(calibrator),
        windscreen && words.windscreen(windscreen),
      ]),
    ],
    [words.operator, record.operator ?? ''],
  ];
}

const MOST_CHECKS = 3;

/** The calibration checks before, in and after an interval; '' without any. */
function calibrationsText({ calibrations }: Info, { from, to }: TimeSpan): string {
  const before = calibrations.find(({ time }) => Date.parse(time) <= from); // the newest is the first
  const after = calibrations.findLast(({ time }) => Date.parse(time) >= to);
  const within = calibrations.filter(({ time }) => Date.parse(time) > from && Date.parse(time) < to);
  if (!before && !after && within.length === 0) return '';
  return [
    before ? checkText(before) : words.noneBefore,
    ...within.slice(0, MOST_CHECKS).toReversed().map(checkText),
    after ? checkText(after) : words.noneAfter,
  ].join('; ');
}

const checkText = ({ time, level_db, frequency_hz, offset_db, drift_db }: Info['calibrations'][number]) =>
  words.calibration(
    timeText(time, 'dated'),
    limitText(level_db),
    hertzText(frequency_hz),
    decibelTwice(offset_db),
  ) + (drift_db === null ? '' : words.drift(`${drift_db > 0 ? '+' : ''}${decibelTwice(drift_db)}`));

/** Rounded to a hundredth, since drifts are small. */
const decibelTwice = (db: number) => limitText(Math.round(db * 100) / 100).replace('-', '−');

function levelsText({ unit, floor, isAbsolute }: Scale): string {
  if (isAbsolute) return words.absolute(unit, decibelText(floor), `${decibelText(floor + RANGE_DB)} ${unit}`);
  return unit === 'dBFS' ? words.dbfs : words.mixed(unit);
}
