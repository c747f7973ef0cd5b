// How levels compare with a limit, in words, and whether a verdict covers whole parts of days.
import type { Outputs } from '../../client/index.ts';
import type { Limit as DayLimit } from '../../contract/limits.ts';
import {
  countText,
  decibelText,
  limitText,
  listText,
  NOTHING,
  percentText,
  rangeText,
  timeText,
} from '../locale-format.ts';
import { DAY_MS, HOUR_MS } from '../state/calendar-intervals.ts';
import { limitSteps, scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';

const { limits: words } = texts;

export type AgainstLimits = Outputs['stats']['limits'];
type Limit = AgainstLimits['limits'][number];
type State = NonNullable<Limit['state']>;

/** The fields that a limit and a part of it share. */
type Compared = Pick<Limit, 'limit_db' | 'penalty_db' | 'assessed_db' | 'assessed_from' | 'state'>;

/** The length of the assessed time, in milliseconds; undefined for the whole part. */
const LENGTHS_MS = { part: undefined, hour: HOUR_MS, '15m': 900_000 };

/** For example ` (+ 3)`; '' without a penalty. */
export const penaltyText = ({ penalty_db }: Pick<Limit, 'penalty_db'>) =>
  penalty_db > 0 ? words.penalty(limitText(penalty_db)) : '';

/** For example `47.3, Mon, Jan 5, 3:00 AM`: the start of the hour, if an hour is assessed. */
export function assessedText({ assessed_db, assessed_from }: Compared, { assess }: AgainstLimits): string {
  if (assessed_db === null) return NOTHING;
  const when = assessed_from === null || assess === 'part' ? '' : `, ${timeText(assessed_from, 'weekday')}`;
  return `${decibelText(assessed_db)}${when}`;
}

function timesOf(from: string, assess: AgainstLimits['assess']): string {
  const length = LENGTHS_MS[assess];
  const start = Date.parse(from);
  return length === undefined ? timeText(start, 'weekday') : rangeText(start, start + length, 'weekday');
}

/** For example `over by 2.1 dB`, or `within so far`. */
export function stateText({ state, assessed_db, limit_db }: Compared, extent: Extent): string {
  if (state === null) return NOTHING;
  if (state === 'under') return words.verdicts.under[extent];
  return state === 'over' && assessed_db !== null
    ? words.overBy(decibelText(assessed_db - limit_db))
    : words.verdicts[state];
}

/** For example `within the limit so far`. */
export function sentenceOf(state: State, extent: Extent): string {
  if (state === 'undecided') return words.verdicts.undecided;
  return state === 'under' ? words.sentences.under[extent] : words.sentences.over;
}

/** The reasons for the verdict of a limit. */
export function verdictOf(limit: Limit, state: State, answer: AgainstLimits): string {
  const { limit_db, penalty_db, assessed_db, assessed_from, part_count } = limit;
  const { assess } = answer;
  const { unit } = scaleIn(answer.scale);
  const isAlone = assess === 'part' && part_count === 1;
  const count = state === 'undecided' ? limit.parts_undecided : limit.parts_over;
  return listText([
    assessed_db === null || assessed_from === null
      ? words.nothingAssessed
      : words.compared(`${decibelText(assessed_db)} ${unit}`, limitText(limit_db)) +
        (isAlone ? '' : words.loudest[assess](timesOf(assessed_from, assess))),
    penalty_db > 0 ? words.withPenalty(limitText(penalty_db)) : '',
    answer.uncertainty_db ? words.plusMinus(decibelText(answer.uncertainty_db)) : '',
    state === 'under' || count === null || part_count < 2
      ? ''
      : words.inPeriods[state](countText(count), countText(part_count)),
    words.measured(percentText(limit.measured_percent)),
  ]);
}

type Answer = Pick<Outputs['stats']['limits'], 'from' | 'to' | 'time_zone'>;

/** `soFar`: the last part continues now. `cut`: the interval contains only a portion of a part. */
export type Extent = 'whole' | 'soFar' | 'cut';

/** A moving interval ends at most this long before now. */
const NOW_MS = 600_000;

/**
 * @param stretch the answer, or one of its parts
 * @param limits the limits of these parts
 */
export function extentOf(
  stretch: { readonly from: string; readonly to: string },
  limits: readonly DayLimit[],
  { from, to, time_zone }: Answer,
  now = Date.now(),
): Extent {
  const isCutAt = (time: number) =>
    Date.parse(stretch.from) <= time &&
    time <= Date.parse(stretch.to) &&
    limitSteps(limits, { from: time - DAY_MS, to: time + DAY_MS }, time_zone).some(
      (step) => step.from < time && time < step.to,
    );
  const end = Math.min(Date.parse(to), now);
  if (isCutAt(Date.parse(from))) return 'cut';
  if (!isCutAt(end)) return 'whole';
  return now - end <= NOW_MS ? 'soFar' : 'cut';
}
