// The rows of a card about a part of the day, as texts.
import { decibelText, leqText, limitText, listText, percentText, timeText } from '../locale-format.ts';
import { scaleIn, serviceZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import {
  type AgainstLimits,
  assessedText,
  leftTexts,
  reasonText,
  sentence,
  verdictText,
} from '../verdict-text.ts';
import { isNight, type Stretch } from './stretches.ts';

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
export type VerdictRules = Pick<AgainstLimits, 'from' | 'to' | 'scale' | 'uncertainty_db'>;

const timeOf = (time: string) => timeText(time, 'clock', serviceZone());

/** For example `Last night`. */
export function partName(stretch: Stretch): string {
  const names = isNight(stretch) ? cards.night : cards.day;
  return stretch.is_running ? names.running : names.ended;
}

export function rowsOf(stretch: Stretch, judged: VerdictRules, hasLimits: boolean): Rows {
  const { state, reason, leq_db, assessed_db, limit_db, point_count } = stretch;
  const scale = scaleIn(judged.scale);
  const level = leqText(stretch, scale);
  const measured = `${cards.measured} ${percentText(stretch.measured_percent)}`;
  const why = sentence(reasonText(stretch, { ...judged, timeOf }));
  if (!scale.hasEnergy && point_count > 0)
    return { verdict: sentence(texts.reasons.energy_of_maxima()), figures: measured };
  if (leq_db === null) return { verdict: texts.noPoints, figures: measured };
  if (state === null) {
    const figures = listText([hasLimits ? '' : cards.noLimit, measured], ' · ');
    return { verdict: `${level} ${scale.unit}`, figures, note: why };
  }
  // the assessed level has a penalty, or covers only the loudest hour
  const isOther = assessed_db !== null && Math.abs(assessed_db - leq_db) >= 0.05;
  const compared = isOther ? `${cards.assessed} ${assessedText(stretch, judged.scale)}` : level;
  const figures = `${compared} ${scale.unit}, ${cards.limit} ${limitText(limit_db)} · ${measured}`;
  const left = leftTexts(stretch, scale.unit, timeOf).toReversed(); // the time comes first: a phone cuts the rest
  const note = listText([reason === 'not_yet' ? '' : why, ...left.map(sentence)], '. ');
  const tooLoud = tooLoudText(stretch, judged.to);
  if (tooLoud !== null) return { mark: '▲', verdict: tooLoud, figures, note };
  const { mark, verdict } = verdictText(stretch);
  return { mark, verdict: sentence(verdict), figures, note };
}

/** Whether a running part will exceed its limit if the level of the last ten minutes goes on. */
export const isTooLoud = ({ state, assess, passed_at }: Pick<Stretch, 'state' | 'assess' | 'passed_at'>) =>
  state !== 'over' && assess === 'part' && passed_at !== null;

/**
 * For example `5.8 dB too loud to last`: what is left lasts to `passed_at` at the level of the last ten
 * minutes, and to the end at `average_left_db`.
 */
function tooLoudText(stretch: Stretch, now: string): string | null {
  const { passed_at, to } = stretch;
  if (!isTooLoud(stretch) || passed_at === null) return null;
  const since = (end: string) => Math.max(Date.parse(end) - Date.parse(now), 1);
  return cards.tooLoud(decibelText(10 * Math.log10(since(to) / since(passed_at))));
}
