// The level chart as a table: a row for each bucket.
import type { Series } from '../charts/level-chart-layers.ts';
import { countText, levelText, type Scale, timeText } from '../locale-format.ts';
import { Table, TableRow } from './scrolling-table.tsx';

export function LevelTable({ series: { buckets }, scale }: { series: Series; scale: Scale }) {
  const level = (db: number | null) => levelText(db, scale);
  return (
    <Table label="Levels as a table" columns={['Time', `Leq, ${scale.unit}`, 'Minimum', 'Maximum', 'Points']}>
      <tbody>
        {buckets.map(({ time, leq_db, min_db, max_db, point_count }) => (
          <TableRow
            key={time}
            of={timeText(time)}
            cells={[level(leq_db), level(min_db), level(max_db), countText(point_count)]}
          />
        ))}
      </tbody>
    </Table>
  );
}
