// The rows of a card about a part of the day, as texts.
import type { Outputs } from '../../client/index.ts';
import { decibelText, leqText, limitText, listText, percentText } from '../locale-format.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import type { Stretch } from './stretches.ts';

const { cards } = texts;

export interface Rows {
  /** A sign for readers who do not see colours. */
  readonly mark?: string;
  readonly verdict: string;
  readonly figures?: string;
  /** Why there is no verdict. Without it, the card shows the worst stretch as the cause. */
  readonly reason?: string;
}

/** The settings behind the verdict. */
export type VerdictRules = Pick<
  Outputs['stats']['limits'],
  'scale' | 'uncertainty_db' | 'min_measured_percent'
>;

interface Of {
  readonly stretch: Stretch;
  readonly isRunning: boolean;
  readonly judged: VerdictRules;
  readonly hasLimits: boolean;
  /** The part's usual level; null if unknown. */
  readonly usual: number | null;
}

export function rowsOf({ stretch, isRunning, judged, hasLimits, usual }: Of): Rows {
  const { state, leq_db, assessed_db, limit_db, measured_percent, point_count } = stretch;
  const scale = scaleIn(judged.scale);
  const level = leqText(stretch, scale);
  const measured = `${cards.measured} ${percentText(measured_percent)}`;
  if (!scale.hasEnergy && point_count > 0) return { verdict: cards.noEnergy, figures: measured };
  if (leq_db === null) return { verdict: texts.noPoints, figures: measured };
  if (state === null) {
    const missing = hasLimits ? cards.notCalibrated : cards.noLimit;
    const beside = usual === null ? '' : `${cards.usual} ${decibelText(usual)} ${scale.unit}`;
    return { verdict: `${level} ${scale.unit}`, figures: listText([missing, beside, measured]) };
  }
  // the assessed level has a penalty, or covers only the loudest hour
  const isOther = assessed_db !== null && Math.abs(assessed_db - leq_db) >= 0.05;
  const compared = isOther ? `${cards.assessed} ${decibelText(assessed_db)}` : level;
  const figures = `${compared}, ${cards.limit} ${limitText(limit_db)} ${scale.unit}, ${measured}`;
  const excess = (assessed_db ?? leq_db) - limit_db;
  if (state === 'over') return { mark: '▲', verdict: cards.over(decibelText(excess)), figures };
  if (state === 'under') return { mark: '✓', verdict: isRunning ? cards.underSoFar : cards.under, figures };
  return { mark: '?', verdict: cards.undecided, figures, reason: reasonOf(stretch, judged, excess) };
}

/** Why a part of the day has no verdict. */
function reasonOf(
  { measured_percent, assessed_db }: Stretch,
  { uncertainty_db, min_measured_percent, scale }: VerdictRules,
  excess: number,
): string {
  if ((measured_percent ?? 0) < min_measured_percent || assessed_db === null) return cards.littleMeasured;
  if (uncertainty_db !== null && Math.abs(excess) <= uncertainty_db)
    return cards.withinUncertainty(decibelText(uncertainty_db));
  // over the limit only if levels at the floor count as stored
  return cards.belowRecorded(`${decibelText(scale.floor_db)} ${scaleIn(scale).unit}`);
}
