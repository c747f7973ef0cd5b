// Levels against the limits by time of day: for the interval, and period by period.
import {
  countText,
  decibelText,
  levelText,
  limitText,
  NOTHING,
  percentText,
  rangeText,
} from '../locale-format.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import {
  type AgainstLimits,
  assessedText,
  type Extent,
  extentOf,
  penaltyText,
  stateText,
} from './limit-verdict.ts';
import { ScrollingTable } from './scrolling-table.tsx';
import { HowToCalibrate, NoEnergy } from './summary-figures.tsx';

const { limits: words } = texts;

/** How many of the newest periods the table lists. */
const LISTED = 62;

export function LimitTables({ answer }: { answer: AgainstLimits }) {
  if (answer.offset_db === null)
    return answer.scale.unit === null ? <p className="hint">{words.mixed}</p> : <HowToCalibrate />;
  const { limits, parts, assess, uncertainty_db } = answer;
  const scale = scaleIn(answer.scale);
  /** The cells that both tables have. */
  const cellsOf = (of: (typeof limits | typeof parts)[number], extent: Extent) => [
    `${limitText(of.limit_db)}${penaltyText(of)}`,
    levelText(of.leq_db, scale),
    assessedText(of, answer),
    stateText(of, extent),
    percentText(of.measured_percent),
  ];
  const caption = [
    words.caption(scale.unit, words.assessed[assess]),
    uncertainty_db ? words.uncertainty(decibelText(uncertainty_db)) : '',
  ];
  return (
    <>
      <NoEnergy scale={scale} interval={{ from: Date.parse(answer.from), to: Date.parse(answer.to) }} />
      <ScrollingTable
        label={words.table}
        caption={caption.join('')}
        columns={words.columns}
        rows={limits.map((limit) => [
          limit.start,
          `${limit.start}–${limit.end}`,
          ...cellsOf(limit, extentOf(answer, [limit], answer)),
          limit.parts_over === null
            ? NOTHING
            : words.of(countText(limit.parts_over), countText(limit.part_count)),
          limit.minutes_over === null
            ? NOTHING
            : words.of(countText(limit.minutes_over), countText(limit.minute_count)),
          limit.event_count === null ? words.notCounted : countText(limit.event_count),
        ])}
      />
      <details>
        <summary>{words.byPeriod}</summary>
        <ScrollingTable
          label={words.partsTable}
          columns={words.partsColumns}
          rows={parts
            .slice(-LISTED)
            .map((part) => [
              part.from,
              rangeText(Date.parse(part.from), Date.parse(part.to), 'minute'),
              ...cellsOf(part, extentOf(part, limits, answer)),
              part.minutes_over === null ? NOTHING : countText(part.minutes_over),
            ])}
        />
      </details>
    </>
  );
}
