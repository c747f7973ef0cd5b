// The rows of a card about a part of the day, as texts.
import { clockText, decibelText, leqText, limitText, listText, percentText } from '../locale-format.ts';
import { scaleIn, serviceZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import {
  type AgainstLimits,
  allowanceText,
  assessedText,
  reasonText,
  sentence,
  verdictText,
} from '../verdict-text.ts';
import type { Stretch } from './stretches.ts';

const { cards } = texts;

export interface Rows {
  /** A sign for readers who do not see colours. */
  readonly mark?: string;
  readonly verdict: string;
  readonly figures?: string;
  /** Why there is no verdict, or what a running part may still have. */
  readonly note?: string;
}

/** The answer with the scale and the settings behind the verdict. */
export type VerdictRules = Pick<AgainstLimits, 'from' | 'scale' | 'uncertainty_db'>;

interface Of {
  readonly stretch: Stretch;
  readonly judged: VerdictRules;
  readonly hasLimits: boolean;
  /** The part's usual level; null if unknown. */
  readonly usual: number | null;
}

const timeOf = (time: string) => clockText(time, serviceZone());

export function rowsOf({ stretch, judged, hasLimits, usual }: Of): Rows {
  const { state, reason, leq_db, assessed_db, limit_db, point_count } = stretch;
  const scale = scaleIn(judged.scale);
  const level = leqText(stretch, scale);
  const measured = `${cards.measured} ${percentText(stretch.measured_percent)}`;
  const why = sentence(reasonText(stretch, { ...judged, timeOf }));
  if (!scale.hasEnergy && point_count > 0)
    return { verdict: sentence(texts.reasons.energy_of_maxima()), figures: measured };
  if (leq_db === null) return { verdict: texts.noPoints, figures: measured };
  if (state === null) {
    const beside = usual === null ? '' : `${cards.usual} ${decibelText(usual)} ${scale.unit}`;
    const figures = listText([hasLimits ? '' : cards.noLimit, beside, measured]);
    return { verdict: `${level} ${scale.unit}`, figures, note: why };
  }
  // the assessed level has a penalty, or covers only the loudest hour
  const isOther = assessed_db !== null && Math.abs(assessed_db - leq_db) >= 0.05;
  const compared = isOther ? `${cards.assessed} ${assessedText(stretch, judged.scale)}` : level;
  const figures = `${compared}, ${cards.limit} ${limitText(limit_db)} ${scale.unit}, ${measured}`;
  const allowance = sentence(allowanceText(stretch, scale.unit, timeOf));
  const note = listText([reason === 'not_yet' ? '' : why, allowance], '. ');
  const { mark, verdict } = verdictText(stretch);
  return { mark, verdict: sentence(verdict), figures, note };
}
