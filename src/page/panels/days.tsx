// Lday, Levening, Lnight and Lden by day, in the time zone of the page, and the measured share of each.
import type { Outputs } from '../../client/index.ts';
import { leqText, levelText, timeText, wholePercentText } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import { type Scale, scaleIn } from '../state/scale.ts';
import { texts } from '../texts/texts.ts';
import { NoEnergy } from './no-energy.tsx';
import { Table, TableRow } from './scrolling-table.tsx';

const { days: words } = texts;

type Answer = Outputs['stats']['days'];
type Indicators = Answer['overall'];

interface Props {
  readonly days: Answer;
  readonly interval: Interval;
}

export function Days({ days: { days, whole_days, time_zone, ...answer }, interval }: Props) {
  const scale = scaleIn(answer.scale);
  if (!scale.hasEnergy) return <NoEnergy scale={scale} interval={interval} />;
  return (
    <>
      <Table label={words.table} caption={words.caption(time_zone, scale.unit)} columns={words.columns}>
        <tbody>
          {days.map((day) => (
            <TableRow key={day.date} of={timeText(day.date, 'date')} cells={cellsOf(day, scale)} />
          ))}
        </tbody>
        {whole_days.days > 0 && (
          <tfoot>
            <TableRow of={words.whole(whole_days.days)} cells={cellsOf(whole_days, scale)} />
          </tfoot>
        )}
      </Table>
      <p className="hint">
        {whole_days.days === 0 ? words.noneWhole : words.quote} {words.measured}
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
