// The rows of a card about a stretch of the day, as texts.
import type { Scale } from '../../contract/shown-scale.ts';
import { decibelText, leqText, limitText, percentText, settingText } from '../locale-format.ts';
import { QUIETEST } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import type { Stretch } from './stretches.ts';

const { cards } = texts;

export interface Rows {
  /** A sign for those who do not see colours. */
  readonly mark: string;
  readonly verdict: string;
  readonly figures: string;
  /** Why there is no verdict; else the cause stands in its place. */
  readonly reason?: string;
}

export const WAITING: Rows = { mark: '', verdict: '…', figures: '' };
export const NO_LIMIT_NOW: Rows = { mark: '', verdict: cards.noLimitNow, figures: '' };

interface Of {
  readonly stretch: Stretch;
  readonly isRunning: boolean;
  readonly scale: Scale;
  readonly hasLimits: boolean;
  /** What is usual there, as stored; null if that is not known. */
  readonly usual: number | null;
}

export function rowsOf({ stretch, isRunning, scale, hasLimits, usual }: Of): Rows {
  const { state, excess_db, leq_db, limit_db, measured_percent } = stretch;
  const level = leqText(stretch, scale);
  const measured = `${cards.measured} ${percentText(measured_percent)}`;
  if (leq_db === null) return { mark: '', verdict: texts.noPoints, figures: measured };
  if (state === null) {
    const beside = usual === null ? [] : [`${cards.usual} ${settingText(usual, scale)}`];
    const missing = hasLimits ? cards.notCalibrated : cards.noLimit;
    return {
      mark: '',
      verdict: `${level} ${scale.unit}`,
      figures: [missing, ...beside, measured].join(', '),
    };
  }
  const figures = `${level}, ${cards.limit} ${limitText(limit_db)}, ${measured}`;
  if (state === 'over') return { mark: '▲', verdict: cards.over(decibelText(excess_db ?? 0)), figures };
  if (state === 'under') return { mark: '✓', verdict: isRunning ? cards.underSoFar : cards.under, figures };
  // over the limit only if levels at the floor count as they are stored
  const least = stretch.leq_low_db === null ? Number.NEGATIVE_INFINITY : stretch.leq_low_db - leq_db;
  const isByFloor = excess_db !== null && excess_db > 0 && excess_db + least <= 0;
  const reason = isByFloor ? cards.belowRecorded(settingText(QUIETEST, scale)) : cards.littleMeasured;
  return { mark: '?', verdict: cards.undecided, figures, reason };
}
