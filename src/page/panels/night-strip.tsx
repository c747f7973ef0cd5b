// Fourteen nights in a row, and the mark of a night: by how much it was over its limit.
import {
  levelText,
  NOTHING,
  nightText,
  signedText,
  weekdayLetter,
  wholeLevelText,
} from '../locale-format.ts';
import { type JudgedNights, STRIP, type useNights } from '../state/nights.ts';
import { showInterval } from '../state/shown-interval.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { excessOf, type Part, verdictText } from '../verdict-text.ts';
import { Panel } from './panel-frame.tsx';

const { nights: words } = texts;

/** Instead of the table on narrow screens. */
export function NightStrip({ of }: { of: ReturnType<typeof useNights> }) {
  const { nights, partOf, zone, queries } = of;
  return (
    <Panel title={overText(of)} className="fortnight" query={queries.limits}>
      <ol className="squares">
        {nights.slice(-STRIP).map((night) => {
          const part = partOf(night);
          const [className, text] = squareOf(part, of);
          const said = part ? saidOf(part, of) : words.noData;
          return (
            <li key={night.from}>
              <button
                type="button"
                className="plain"
                onClick={() =>
                  showInterval(part ? { from: Date.parse(part.from), to: Date.parse(part.to) } : night)
                }
              >
                <span className="hidden">
                  {nightText(night.from, night.to, zone)}: {said}
                </span>
                <i className={className} aria-hidden="true">
                  {text}
                </i>
                <small aria-hidden="true">{weekdayLetter(night.from, zone)}</small>
              </button>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** The squares alone, for a row of a list. */
export function Squares({ of }: { of: JudgedNights }) {
  return (
    <span className="squares" role="img" aria-label={overText(of)}>
      {of.nights.map((night) => (
        <i key={night.from} className={squareOf(of.partOf(night), of)[0]} />
      ))}
    </span>
  );
}

/** The verdict of a night in a table, such as `▲ +5.3`, or its level. */
export function NightMark({ part, of }: { part: Part | undefined; of: JudgedNights }) {
  if (!part) return null;
  if (!of.isCompared) return levelText(part.leq_db, scaleIn(of.limits?.scale));
  const excess = excessOf(part);
  return (
    <strong className={part.state ?? ''} title={saidOf(part, of)}>
      {verdictText(part).mark} {excess !== undefined && signedText(excess)}
    </strong>
  );
}

const saidOf = (part: Part, { isCompared, limits }: JudgedNights) =>
  isCompared ? verdictText(part).verdict : `${levelText(part.leq_db, scaleIn(limits?.scale))}`;

/** For example `4 of 14 nights over the limit`: of those that have ended. */
function overText({ nights, partOf, isCompared, limits }: JudgedNights): string {
  if (!isCompared) return words.levels(scaleIn(limits?.scale).unit);
  const parts = nights.slice(-STRIP).flatMap((night) => partOf(night) ?? []);
  const over = parts.filter(({ state }) => state === 'over').length;
  return limits
    ? words.over(over, parts.filter(({ is_running, state }) => !is_running || state === 'over').length)
    : '…';
}

function squareOf(part: Part | undefined, { isCompared }: JudgedNights): [className: string, text: string] {
  if (!part) return ['', ''];
  if (!isCompared) return ['shade-0', part.leq_db === null ? NOTHING : wholeLevelText(part.leq_db)];
  if (part.state === null) return ['', '']; // cannot be compared
  const excess = excessOf(part);
  if (part.state === 'over') return ['tint-5', excess === undefined ? '▲' : `+${wholeLevelText(excess)}`];
  return [excess !== undefined && excess <= 0 ? 'within' : 'lacking', ''];
}
