// Levels against the limits by time of day: of the interval, and period by period.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import {
  countText,
  levelText,
  limitText,
  NOTHING,
  percentText,
  rangeText,
  signedText,
} from '../locale-format.ts';
import { texts } from '../texts/texts.ts';
import { HowToCalibrate } from './how-to-calibrate.tsx';
import { Table, TableRow } from './scrolling-table.tsx';

const { limits: words } = texts;

type Answer = Outputs['stats']['limits'];

/** How many periods the table lists, the newest. */
const LISTED = 62;

export function Limits({ answer, scale }: { answer: Answer; scale: Scale }) {
  if (answer.offset_db === null)
    return answer.scale.unit === null ? <p className="hint">{words.mixed}</p> : <HowToCalibrate />;
  const { limits, parts } = answer;
  const excess = (db: number | null) => (db === null ? NOTHING : signedText(db));
  return (
    <>
      <Table label={words.table} caption={words.caption(scale.unit)} columns={words.columns}>
        <tbody>
          {limits.map(({ start, end, limit_db, leq_db, excess_db, minute_count, minutes_over, ...of }) => (
            <TableRow
              key={start}
              of={`${start}–${end}`}
              cells={[
                limitText(limit_db),
                levelText(leq_db, scale),
                excess(excess_db),
                minutes_over === null ? NOTHING : words.of(countText(minutes_over), countText(minute_count)),
                of.event_count === null ? words.notCounted : countText(of.event_count),
                of.parts_over === null
                  ? NOTHING
                  : words.of(countText(of.parts_over), countText(of.part_count)),
              ]}
            />
          ))}
        </tbody>
      </Table>
      <details>
        <summary>{words.byPeriod}</summary>
        <Table label={words.partsTable} columns={words.partsColumns}>
          <tbody>
            {parts.slice(-LISTED).map(({ from, to, limit_db, leq_db, excess_db, minutes_over, ...of }) => (
              <TableRow
                key={from}
                of={rangeText(Date.parse(from), Date.parse(to), 'minute')}
                cells={[
                  limitText(limit_db),
                  levelText(leq_db, scale),
                  excess(excess_db),
                  minutes_over === null ? NOTHING : countText(minutes_over),
                  percentText(of.measured_percent),
                  of.state === null ? NOTHING : words.verdicts[of.state],
                ]}
              />
            ))}
          </tbody>
        </Table>
      </details>
    </>
  );
}
