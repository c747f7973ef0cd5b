// Levels against the limits by time of day: of the interval, and period by period.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { countText, decibelText, levelText, limitText, NOTHING, rangeText } from '../locale-format.ts';
import { HowToCalibrate } from './how-to-calibrate.tsx';
import { Table, TableRow } from './scrolling-table.tsx';

type Answer = Outputs['stats']['limits'];

/** How many periods the table lists, the newest. */
const LISTED = 62;

export function Limits({ answer, scale }: { answer: Answer; scale: Scale }) {
  if (answer.offset_db === null)
    return answer.scale.unit === null ? (
      <p className="hint">
        The levels of this interval were recorded in different ways, so no limit compares with all of them.
        Choose an interval within one recording period.
      </p>
    ) : (
      <HowToCalibrate />
    );
  const { limits, parts } = answer;
  const excess = (db: number | null) => (db === null ? NOTHING : signed(db));
  return (
    <>
      <Table
        label="Limits as a table"
        caption={`Leq in ${scale.unit}; minutes whose own Leq is over, and noise events over the limit`}
        columns={['Time of day', 'Limit', 'Leq', 'Over by', 'Minutes over', 'Events over', 'Periods over']}
      >
        <tbody>
          {limits.map(({ start, end, limit_db, leq_db, excess_db, minute_count, minutes_over, ...of }) => (
            <TableRow
              key={start}
              of={`${start}–${end}`}
              cells={[
                limitText(limit_db),
                levelText(leq_db, scale),
                excess(excess_db),
                minutes_over === null ? NOTHING : `${countText(minutes_over)} of ${countText(minute_count)}`,
                of.event_count === null ? 'not counted' : countText(of.event_count),
                of.parts_over === null
                  ? NOTHING
                  : `${countText(of.parts_over)} of ${countText(of.part_count)}`,
              ]}
            />
          ))}
        </tbody>
      </Table>
      <details>
        <summary>Period by period</summary>
        <Table
          label="Periods of limits as a table"
          columns={['Period', 'Limit', 'Leq', 'Over by', 'Minutes over']}
        >
          <tbody>
            {parts.slice(-LISTED).map(({ from, to, limit_db, leq_db, excess_db, minutes_over }) => (
              <TableRow
                key={from}
                of={rangeText(Date.parse(from), Date.parse(to), 'minute')}
                cells={[
                  limitText(limit_db),
                  levelText(leq_db, scale),
                  excess(excess_db),
                  minutes_over === null ? NOTHING : countText(minutes_over),
                ]}
              />
            ))}
          </tbody>
        </Table>
      </details>
    </>
  );
}

const signed = (db: number) => `${db > 0 ? '+' : ''}${decibelText(db)}`;
