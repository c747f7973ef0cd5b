// Quality of the data: gaps as a strip below the chart, and coverage in words and as a table.
import type { Outputs } from '../../client/index.ts';
import { countText, lengthText, percentText, timeText } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import { Table, TableRow } from './scrolling-table.tsx';

type Quality = Outputs['stats']['quality'];

export function GapStrip({
  quality,
  interval: { from, to },
}: {
  /** Undefined until it is known; its place is kept. */
  quality: Quality | undefined;
  interval: Interval;
}) {
  const place = (time: number) => Math.min(Math.max(((time - from) / (to - from)) * 100, 0), 100);
  return (
    <div className="gaps" aria-hidden="true">
      <small className="soft">Gaps</small>
      <div className="strip">
        {quality?.gaps.map((gap) => {
          const [start, end] = [place(Date.parse(gap.from)), place(Date.parse(gap.to))];
          return (
            <span
              key={gap.from}
              title={`No points for ${lengthText(gap.seconds)} from ${timeText(gap.from)}`}
              style={{ left: `${start}%`, width: `${end - start}%` }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** @param most how many gaps the table lists, longest first */
export function QualityText({ quality, most = 20 }: { quality: Quality; most?: number }) {
  const { gaps, gap_count, gap_seconds, future_count } = quality;
  const withoutLevel = quality.null_level_percent ?? 0;
  const listed = gaps.toSorted((a, b) => b.seconds - a.seconds).slice(0, most);
  return (
    <>
      <ul className="facts">
        <li>Coverage {percentText(quality.coverage_percent)}</li>
        <li>
          {gap_count === 0
            ? 'no gaps'
            : `${countText(gap_count)} ${gap_count === 1 ? 'gap' : 'gaps'}, ${lengthText(gap_seconds)} in all`}
        </li>
        <li>{percentText(quality.at_floor_percent)} at the floor of the recorder</li>
        {withoutLevel > 0 && <li>{percentText(withoutLevel)} without a level</li>}
        {future_count > 0 && <li>{countText(future_count)} points dated ahead</li>}
      </ul>
      {listed.length > 0 && (
        <Table
          label="Gaps as a table"
          caption={
            gap_count > listed.length ? `${listed.length} of ${countText(gap_count)}, the longest` : ''
          }
          columns={['Gap from', 'to', 'Length']}
        >
          <tbody>
            {listed.map(({ from, to, seconds }) => (
              <TableRow key={from} of={timeText(from)} cells={[timeText(to), lengthText(seconds)]} />
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
