// Fourteen nights in a row, and the looks of hours and nights: red above the limit, pale below it.
import { decibelText, levelText, nightText, timeText, wholeLevelText } from '../locale-format.ts';
import { type NightSpan, STRIP, type useNights } from '../state/nights.ts';
import { showInterval } from '../state/shown-interval.ts';
import type { Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { type Part, verdictText } from '../verdict-text.ts';
import { Panel } from './panel-frame.tsx';

const { nights: words } = texts;

const mixed = (colour: string, share: number, ground: string) => ({
  backgroundColor: `color-mix(in srgb, var(${colour}) ${share}%, var(${ground}))`,
});

/** The higher a level, the darker. @param share from 0 to 1 */
export const lookOfLevel = (share: number) => mixed('--heat', 40 * share, '--heat-none');

/** Up to which excess over the limit, in dB, an hour looks so. An excess below 0.00001 dB is a rounding error. */
const LOOKS = [
  [-10, lookOfLevel(0)],
  [-5, lookOfLevel(0.2)],
  [1e-5, lookOfLevel(0.5)],
  [3, mixed('--over', 25, '--panel')],
  [6, mixed('--over', 50, '--panel')],
  [9, { backgroundColor: 'var(--over)', color: 'var(--on-pitch)' }],
  [Number.POSITIVE_INFINITY, { ...mixed('--over', 55, '--text'), color: 'var(--panel)' }],
] as const;

export const lookOfExcess = (excess: number) => LOOKS.find(([end]) => excess <= end)?.[1];

/** Instead of the table on narrow screens. */
export function NightStrip({ of }: { of: ReturnType<typeof useNights> }) {
  const nights = of.nights.slice(-STRIP);
  return (
    <Panel
      title={overText(nights, of.partOf) || words.levels(of.scale.unit)}
      className="fortnight narrow"
      query={of.limits}
    >
      <ol className="squares">
        {nights.map((night) => {
          const part = of.partOf(night);
          const shown = part ? { from: Date.parse(part.from), to: Date.parse(part.to) } : night;
          return (
            <li key={night.from}>
              <button type="button" className="plain" onClick={() => showInterval(shown)}>
                <span className="hidden">
                  {nightText(night.from, night.to, of.zone)}: {part ? saidOf(part, of.scale) : words.noData}
                </span>
                <Square part={part} />
                <small aria-hidden="true">{timeText(night.from, 'letter', of.zone)}</small>
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

type PartOf = (night: NightSpan) => Part | undefined;

/** The squares alone, for a row of a list. */
export function Squares({ nights, partOf }: { nights: readonly NightSpan[]; partOf: PartOf }) {
  return (
    <span className="squares" role="img" aria-label={overText(nights, partOf) || words.noData}>
      {nights.map((night) => (
        <Square key={night.from} part={partOf(night)} />
      ))}
    </span>
  );
}

export const SQUARES = { '▲': lookOfExcess(9), '✓': mixed('--under', 25, '--panel'), '?': {} };

export function Square({ part }: { part: Part | undefined }) {
  if (!part) return <i />;
  const { leq_db, state } = part;
  const { mark, excess } = verdictText(part);
  const over = mark === '▲' && (excess === undefined ? mark : `+${wholeLevelText(excess)}`);
  const text = state === null ? leq_db !== null && wholeLevelText(leq_db) : over;
  return (
    <i
      className={state === null || mark !== '?' ? (state ?? undefined) : 'lacking'}
      style={state === null ? lookOfLevel(0) : SQUARES[mark]}
      aria-hidden="true"
    >
      {text}
    </i>
  );
}

/** The verdict of a night in a table, such as `▲ +5.3`; its level if the station has no limits. */
export function NightMark({ part, scale }: { part: Part | undefined; scale: Scale }) {
  if (!part) return null;
  if (part.state === null) return levelText(part.leq_db, scale);
  const { mark, excess } = verdictText(part);
  return (
    <strong className={part.state}>
      {mark} {excess !== undefined && `${excess > 0 ? '+' : ''}${decibelText(excess)}`}
    </strong>
  );
}

export const saidOf = (part: Part, scale: Scale) =>
  part.state === null ? levelText(part.leq_db, scale) : verdictText(part).verdict;

/** For example `4 of 14 nights over the limit`: of those that have ended; '' without any. */
function overText(nights: readonly NightSpan[], partOf: PartOf): string {
  const ended = nights
    .flatMap((night) => partOf(night) ?? [])
    .filter(({ state, is_running }) => state === 'over' || (state !== null && !is_running));
  return ended.length === 0
    ? ''
    : words.over(ended.filter(({ state }) => state === 'over').length, ended.length);
}
