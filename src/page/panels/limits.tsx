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
import { type AgainstLimits, assessedText, extentOf, penaltyText, stateText } from './limit-verdict.ts';
import { ScrollingTable, TableRow } from './scrolling-table.tsx';
import { HowToCalibrate, NoEnergy } from './summary-figures.tsx';

const { limits: words } = texts;

/** How many of the newest periods the table lists. */
const LISTED = 62;

export function LimitTables({ answer }: { answer: AgainstLimits }) {
  if (answer.offset_db === null)
    return answer.scale.unit === null ? <p className="hint">{words.mixed}</p> : <HowToCalibrate />;
  const { limits, parts, assess, uncertainty_db } = answer;
  const scale = scaleIn(answer.scale);
  const caption = [
    words.caption(scale.unit, words.assessed[assess]),
    uncertainty_db > 0 ? words.uncertainty(decibelText(uncertainty_db)) : '',
  ];
  return (
    <>
      <NoEnergy scale={scale} interval={{ from: Date.parse(answer.from), to: Date.parse(answer.to) }} />
      <ScrollingTable label={words.table} caption={caption.join('')} columns={words.columns}>
        <tbody>
          {limits.map((limit) => (
            <TableRow
              key={limit.start}
              of={`${limit.start}–${limit.end}`}
              cells={[
                `${limitText(limit.limit_db)}${penaltyText(limit)}`,
                levelText(limit.leq_db, scale),
                assessedText(limit, answer),
                stateText(limit, extentOf(answer, [limit], answer)),
                percentText(limit.measured_percent),
                limit.parts_over === null
                  ? NOTHING
                  : words.of(countText(limit.parts_over), countText(limit.part_count)),
                limit.minutes_over === null
                  ? NOTHING
                  : words.of(countText(limit.minutes_over), countText(limit.minute_count)),
                limit.event_count === null ? words.notCounted : countText(limit.event_count),
              ]}
            />
          ))}
        </tbody>
      </ScrollingTable>
      <details>
        <summary>{words.byPeriod}</summary>
        <ScrollingTable label={words.partsTable} columns={words.partsColumns}>
          <tbody>
            {parts.slice(-LISTED).map((part) => (
              <TableRow
                key={part.from}
                of={rangeText(Date.parse(part.from), Date.parse(part.to), 'minute')}
                cells={[
                  `${limitText(part.limit_db)}${penaltyText(part)}`,
                  levelText(part.leq_db, scale),
                  assessedText(part, answer),
                  stateText(part, extentOf(part, limits, answer)),
                  percentText(part.measured_percent),
                  part.minutes_over === null ? NOTHING : countText(part.minutes_over),
                ]}
              />
            ))}
          </tbody>
        </ScrollingTable>
      </details>
    </>
  );
}
