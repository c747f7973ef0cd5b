// Why a verdict is open, and what a running part may still have, in words.
import type { Outputs } from '../client/index.ts';
import type { LevelScale } from '../contract/periods.ts';
import {
  countText,
  decibelText,
  listText,
  shareText,
  signBefore,
  wholePercentText,
} from './locale-format.ts';
import { stationHere } from './state/service-url.ts';
import { scaleIn } from './state/site.ts';
import { texts } from './texts/texts.ts';

export type AgainstLimits = Outputs['stats']['limits'];
export type Part = AgainstLimits['parts'][number];

/** A verdict. Only parts of `stats.limits` have all fields. */
type Judged = Pick<Part, 'reason' | 'weighting' | 'over_range' | 'first_over_range'> &
  Partial<Pick<Part, 'from' | 'is_cut' | 'is_running' | 'lacking_count' | 'assess'>>;

interface Context {
  readonly scale: LevelScale | null;
  readonly uncertainty_db?: number | null;
  /** The start of the interval. */
  readonly from?: string;
  readonly station?: string;
  /** How much was measured, unless it stands beside the reason. */
  readonly measured?: string;
  readonly timeOf: (time: string) => string;
}

/** Why a verdict is open; '' if it is not. */
export function reasonText(of: Judged, { scale, timeOf, ...context }: Context): string {
  const { reason, lacking_count, assess, first_over_range } = of;
  if (reason === null) return '';
  const { from: start = '', station = stationHere() ?? 'default', measured = '', uncertainty_db } = context;
  const startsBefore = of.from !== undefined && of.from < start;
  return texts.reasons[reason]({
    measured,
    isCut: startsBefore || (of.is_cut === true && !of.is_running),
    lacking: lacking_count && assess && assess !== 'part' ? { count: lacking_count, of: assess } : null,
    floor: scale ? `${decibelText(scale.floor_db)} ${scaleIn(scale).unit}` : '',
    ceilingCount: of.over_range,
    ceilingText: countText(of.over_range),
    firstAtCeiling: first_over_range === null ? '' : timeOf(first_over_range),
    uncertainty: uncertainty_db == null ? '' : decibelText(uncertainty_db),
    levelWeighting: scale?.weighting ?? '',
    limitWeighting: of.weighting,
    station,
  });
}

/** For example `25 % of the energy that the limit allows is used; at most 45.0 dB(A) on average from now on`. */
export function allowanceText(part: Part, unit: string, timeOf: (time: string) => string): string {
  const { used_percent, assess } = part;
  if (!part.is_running || used_percent === null) return '';
  const used = used_percent < 10 ? shareText(used_percent) : wholePercentText(used_percent);
  return listText([texts.allowance.used[assess](used), ...leftTexts(part, unit, timeOf)], '; ');
}

/** What a running part may still have, and when it will have used that. */
export function leftTexts(part: Part, unit: string, timeOf: (time: string) => string): string[] {
  const { average_left_db, passed_at, assess } = part;
  const { left, passed } = texts.allowance;
  return [
    ...(average_left_db === null ? [] : [left[assess](`${decibelText(average_left_db)} ${unit}`)]),
    ...(passed_at === null ? [] : [passed(timeOf(passed_at))]),
  ];
}

type Measured = Pick<Part, 'state' | 'reason' | 'assessed_db' | 'limit_db'> &
  Partial<Pick<Part, 'is_running' | 'is_cut'>>;

/** Whether the level so far is all that there is to say. */
export const isSoFar = ({ reason, assessed_db }: Pick<Part, 'reason' | 'assessed_db'>) =>
  reason === 'not_yet' && assessed_db !== null;

interface Verdict {
  /** For readers who do not see colours. */
  readonly mark: '▲' | '✓' | '?';
  /** Such as `2.1 dB over the limit so far`. */
  readonly verdict: string;
  /** By how much the level is over the limit, dB to a tenth; undefined if that is open. */
  readonly excess?: number;
}

export function verdictText(of: Measured): Verdict {
  const { state, assessed_db, limit_db, is_running, is_cut } = of;
  const { verdicts } = texts;
  const excess = assessed_db === null ? 0 : Math.round(10 * (assessed_db - limit_db)) / 10;
  const [above, below] = [decibelText(excess), decibelText(-excess)];
  if (state === 'under')
    return { mark: '✓', verdict: excess < 0 ? verdicts.underBy(below) : verdicts.under, excess };
  if (state === 'over' && is_running) return { mark: '▲', verdict: verdicts.overAlready };
  if (state === 'over')
    return excess > 0 && !is_cut
      ? { mark: '▲', verdict: verdicts.overBy(above), excess }
      : { mark: '▲', verdict: verdicts.over };
  if (!isSoFar(of)) return { mark: '?', verdict: verdicts.undecided };
  return excess > 0
    ? { mark: '?', verdict: verdicts.overSoFar(above), excess }
    : { mark: '✓', verdict: verdicts.underSoFar(below), excess };
}

/** The assessed level with its bound: levels at the floor or the ceiling are not exact. */
export function assessedText(part: Part, scale: LevelScale): string {
  const bound = signBefore(part, scaleIn(scale));
  const isKnown = bound !== '≤ ' || part.assess === 'part'; // an hour may have no level at the floor
  return part.assessed_db === null ? '' : `${isKnown ? bound : ''}${decibelText(part.assessed_db)}`;
}

/** A sentence begins with a capital letter. */
export const sentence = (text: string) => text.charAt(0).toLocaleUpperCase() + text.slice(1);
