// How levels compare with limits, in words.
import { unitOf } from '../../contract/level-unit.ts';
import type { Limit as DayLimit } from '../../contract/limits.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import type { State } from '../../contract/verdicts.ts';
import {
  countText,
  leqText,
  levelText,
  limitText,
  listText,
  NOTHING,
  percentText,
  rangeText,
  timeText,
} from '../locale-format.ts';
import { HOUR_MS, MINUTE_MS } from '../state/calendar-intervals.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import {
  type AgainstLimits,
  allowanceText,
  assessedText,
  isSoFar,
  type Part,
  reasonText,
  verdictText,
} from '../verdict-text.ts';

const { limits: words } = texts;

type Limit = AgainstLimits['limits'][number];

const minuteText = (time: string) => timeText(time, 'minute');

/** A limit with its options, such as `45 (+ 3), max 60`. */
export const limitLevelText = (
  of: Pick<DayLimit, 'limit_db' | 'weighting' | 'penalty_db' | 'max_limit_db'>,
) =>
  [
    limitText(of.limit_db),
    of.weighting === 'A' ? '' : ` (${of.weighting})`,
    of.penalty_db > 0 ? words.penalty(limitText(of.penalty_db)) : '',
    of.max_limit_db === null ? '' : words.most(limitText(of.max_limit_db)),
  ].join('');

/** What each limit assesses, such as `the loudest hour`, or a list if limits differ. */
export function assessText(limits: readonly DayLimit[], assess: AgainstLimits['assess']): string {
  const nameOf = (limit: DayLimit) => words.assessed[limit.assess ?? assess];
  if (new Set(limits.map(nameOf)).size < 2) return limits[0] ? nameOf(limits[0]) : words.assessed[assess];
  return listText(limits.map((limit) => `${limit.start}–${limit.end} ${nameOf(limit)}`));
}

/** A limit on its scale, such as `45 dB(A)`. */
const withUnit = (db: number, { weighting }: Pick<DayLimit, 'weighting'>) =>
  `${limitText(db)} ${unitOf({ weighting, reference_db: 0 })}`;

export const uncertaintyText = (uncertainty_db: number | null) =>
  words.uncertainty(uncertainty_db === null ? '' : limitText(uncertainty_db));

/** The parts in which a limit applies, oldest first. */
function partsOf({ start }: Limit, { parts, time_zone }: AgainstLimits): Part[] {
  const clock = timeZoneClock(time_zone);
  const startOf = ({ from }: Part) => Math.floor(clock.shows(Date.parse(from)) / MINUTE_MS) % 1440;
  return parts.filter((part) => startOf(part) === minuteOfDay(start));
}

/** The part whose level is that of a limit; undefined if none has one. */
const assessedPart = ({ assessed_from }: Pick<Limit, 'assessed_from'>, answer: AgainstLimits) =>
  assessed_from === null
    ? undefined
    : answer.parts.find(({ from, to }) => from <= assessed_from && assessed_from < to);

/** The cells that the tables of limits and of parts share. */
export const partCells = (part: Part, answer: AgainstLimits) => [
  limitLevelText(part),
  leqText(part, scaleIn(answer.scale)),
  assessedCell(part, answer),
  partState(part, answer),
  percentText(part.measured_percent),
];

export function limitCells(limit: Limit, answer: AgainstLimits): string[] {
  const over_range = partsOf(limit, answer).reduce((sum, part) => sum + part.over_range, 0);
  return [
    `${limit.start}–${limit.end}`,
    limitLevelText(limit),
    leqText({ ...limit, over_range }, scaleIn(answer.scale)),
    assessedCell(assessedPart(limit, answer), answer),
    limitState(limit),
    percentText(limit.measured_percent),
    limit.part_count === 0 ? NOTHING : countOf(limit.parts_over, limit.part_count),
    countOf(limit.minutes_over, limit.minute_count),
    limit.event_count === null ? words.notCounted : countText(limit.event_count),
  ];
}

const countOf = (some: number | null, all: number | null) =>
  some === null || all === null ? NOTHING : words.of(countText(some), countText(all));

/** For example `47.3, Mon, Jan 5, 3:00 AM`: the start of the hour, if an hour is assessed. */
function assessedCell(part: Part | undefined, { scale }: AgainstLimits): string {
  if (part?.assessed_from == null) return NOTHING;
  const when = part.assess === 'part' ? '' : timeText(part.assessed_from, 'weekday');
  return listText([assessedText(part, scale), when]);
}

function limitState(limit: Limit): string {
  if (limit.parts_over === null) return NOTHING;
  return limit.state === null ? words.noneWhole : verdictText({ ...limit, reason: null }).verdict;
}

/** For example `within the limit so far`, or `not decided: too little was measured`. */
function partState(part: Part, answer: AgainstLimits): string {
  const { verdict } = verdictText(part);
  if (part.state === 'over' || part.state === 'under' || isSoFar(part)) return verdict;
  const why = reasonText(part, { ...answer, timeOf: minuteText });
  return part.state === null ? why || NOTHING : `${verdict}: ${why}`;
}

/** Lines about limits, and about parts that have not ended. `hasMore` if the tables say less. */
export function verdictLines(answer: AgainstLimits) {
  const running = answer.parts.filter(({ is_running, used_percent }) => is_running && used_percent !== null);
  return [
    ...answer.limits.flatMap((limit) => limitLine(limit, answer) ?? []),
    ...running.map((part) => partLine(part, answer)),
  ];
}

/** @returns undefined for maxima without a limit: a hint says that they have no Leq */
function limitLine(limit: Limit, answer: AgainstLimits) {
  const { start, end, state, reason, part_count, max_state } = limit;
  const maxima = maximaText(limit, answer);
  const line = { key: start, times: `${start}–${end}`, state };
  const about = assessedPart(limit, answer) ?? (part_count === 0 ? partsOf(limit, answer).at(-1) : undefined);
  const why = reasonText(
    { over_range: 0, first_over_range: null, ...about, reason, weighting: limit.weighting },
    { ...answer, timeOf: minuteText },
  );
  if (reason === 'energy_of_maxima' && maxima === '') return undefined;
  if (reason === 'energy_of_maxima')
    return { ...line, state: max_state, verdict: maxima, reasons: '', hasMore: true };
  if (limit.parts_over === null)
    return { ...line, verdict: words.notComparable, reasons: listText([maxima, why]), hasMore: true };
  if (state === null) return { ...line, verdict: words.noneWhole, reasons: maxima, hasMore: maxima !== '' };
  return {
    ...line,
    verdict: texts.verdicts[state],
    reasons: reasonsOf(limit, state, answer, [why, maxima]),
    hasMore: why !== '' || maxima !== '',
  };
}

function reasonsOf(limit: Limit, state: NonNullable<State>, answer: AgainstLimits, more: string[]): string {
  const { limit_db, penalty_db, assessed_from, part_count } = limit;
  const assess = limit.assess ?? answer.assess;
  const isAlone = assess === 'part' && part_count === 1;
  const count = state === 'undecided' ? limit.parts_undecided : limit.parts_over;
  const part = assessedPart(limit, answer);
  return listText([
    part === undefined || assessed_from === null
      ? words.nothingAssessed
      : words.compared(assessedText(part, answer.scale), withUnit(limit_db, limit)) +
        (isAlone ? '' : words.loudest[assess](timesOf(assessed_from, assess))),
    penalty_db > 0 ? words.withPenalty(limitText(penalty_db)) : '',
    uncertaintyText(answer.uncertainty_db),
    ...more,
    state === 'under' || count === null || part_count < 2
      ? ''
      : words.inPeriods[state](countText(count), countText(part_count)),
    words.measured(percentText(limit.measured_percent)),
  ]);
}

function timesOf(from: string, assess: AgainstLimits['assess']): string {
  if (assess === 'part') return timeText(from, 'weekday');
  return rangeText(from, Date.parse(from) + (assess === 'hour' ? HOUR_MS : HOUR_MS / 4), 'weekday');
}

/** A part that has not ended: its level so far, and what is left. */
function partLine(part: Part, answer: AgainstLimits) {
  const { unit } = scaleIn(answer.scale);
  const level = assessedText(part, answer.scale);
  return {
    key: part.from,
    times: texts.since(minuteText(part.from)),
    state: part.state,
    verdict: partState(part, answer),
    reasons: listText([
      level && words.compared(level, withUnit(part.limit_db, part)),
      allowanceText(part, unit, minuteText),
    ]),
    hasMore: true,
  };
}

/** The highest level of Fast maxima; '' without a limit for them. */
function maximaText(
  { max_db, max_limit_db, max_state, max_over_count, weighting }: Limit,
  answer: AgainstLimits,
): string {
  const level = maximumText(max_db, answer);
  if (max_limit_db === null || level === '') return '';
  const minutes = max_over_count ? words.overMinutes(max_over_count, countText(max_over_count)) : '';
  const verdict = max_state === null ? '' : `: ${texts.verdicts[max_state]}${minutes}`;
  return words.maxima(level, withUnit(max_limit_db, { weighting })) + verdict;
}

/** For example `62.3, over the limit`. */
export function maximaCell({ max_db, max_state, max_limit_db }: Part, answer: AgainstLimits): string {
  const level = maximumText(max_db, answer);
  if (max_limit_db === null || level === '') return NOTHING;
  return listText([level, max_state && texts.verdicts[max_state]]);
}

/** The highest level on the scale of limits, with its bound; '' without one. */
function maximumText(max_db: number | null, { scale, offset_db }: AgainstLimits): string {
  if (max_db === null || offset_db === null) return '';
  return levelText(max_db + offset_db, { ...scaleIn(scale), floor: scale.floor_db + offset_db });
}
