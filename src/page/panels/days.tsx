// Lday, Levening, Lnight and Lden by day, in the zone of the reader.
import type { Outputs } from '../../client/index.ts';
import { levelText, type Scale, TIME_ZONE, timeText } from '../locale-format.ts';
import { Table, TableRow } from './scrolling-table.tsx';

type Answer = Outputs['stats']['days'];

export function Days({ days: { days, overall }, scale }: { days: Answer; scale: Scale }) {
  const cells = (of: Answer['overall']) =>
    [of.lday_db, of.levening_db, of.lnight_db, of.lden_db, of.leq_db].map((db) => levelText(db, scale));
  return (
    <Table
      label="Days as a table"
      caption={`Days of ${TIME_ZONE}: day from 7, evening from 19, night from 23 o'clock; in ${scale.unit}, A-weighted only where recorded so`}
      columns={['Day', 'Lday', 'Levening', 'Lnight', 'Lden', 'Leq']}
    >
      <tbody>
        {days.map((day) => (
          <TableRow key={day.date} of={timeText(day.date, 'date')} cells={cells(day)} />
        ))}
      </tbody>
      <tfoot>
        <TableRow of="All" cells={cells(overall)} />
      </tfoot>
    </Table>
  );
}
