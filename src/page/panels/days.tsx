// Lday, Levening, Lnight and Lden by day, in the time zone of the page, with how much of each was measured.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { leqText, levelText, timeText, wholePercentText } from '../locale-format.ts';
import { Table, TableRow } from './scrolling-table.tsx';

type Answer = Outputs['stats']['days'];
type Indicators = Answer['overall'];

export function Days({ days: { days, whole_days, time_zone }, scale }: { days: Answer; scale: Scale }) {
  return (
    <>
      <Table
        label="Days as a table"
        caption={`Days of ${time_zone}: day from 7, evening from 19, night from 23 o’clock; in ${scale.unit}, A-weighted only where recorded so`}
        columns={['Day', 'Lday', 'Levening', 'Lnight', 'Lden', 'Leq', 'Measured']}
      >
        <tbody>
          {days.map((day) => (
            <TableRow key={day.date} of={timeText(day.date, 'date')} cells={cellsOf(day, scale)} />
          ))}
        </tbody>
        {whole_days.days > 0 && (
          <tfoot>
            <TableRow
              of={whole_days.days === 1 ? '1 whole day' : `${whole_days.days} whole days`}
              cells={cellsOf(whole_days, scale)}
            />
          </tfoot>
        )}
      </Table>
      <p className="hint">
        {whole_days.days === 0
          ? 'No day is whole yet, so there is no Lden to quote. '
          : 'The last line is over whole days alone: quote that one. '}
        Measured is the share of day, evening and night that has points; “≤” stands where levels reached the
        floor of the recorder.
      </p>
    </>
  );
}

function cellsOf(of: Indicators, scale: Scale): string[] {
  return [
    ...[of.lday_db, of.levening_db, of.lnight_db, of.lden_db].map((db) => levelText(db, scale)),
    leqText(of, scale),
    [of.day_measured_percent, of.evening_measured_percent, of.night_measured_percent]
      .map(wholePercentText)
      .join(' / '),
  ];
}
