// Lday, Levening, Lnight and Lden by day, in the time zone of the page, and the measured share of each.
import type { Outputs } from '../../client/index.ts';
import { countText, leqText, timeText, wholePercentText } from '../locale-format.ts';
import { type Shown, spansDays, useDays } from '../state/shown.ts';
import { type Scale, scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { DataTable } from './data-table.tsx';
import { Panel } from './panel-frame.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { days: words } = texts;

type Answer = Outputs['stats']['days'];
type Indicators = Answer['overall'];

const MOST_ON_PAPER = 31;

export function DaysPanel({ shown }: { shown: Shown }) {
  const query = useDays(shown);
  if (shown.isOnPaper && !spansDays(shown)) return null;
  return (
    <Panel title={words.title} meaning="lden" query={query}>
      {query.data && <Days answer={query.data} shown={shown} />}
      {!spansDays(shown) && <p className="soft">{words.tooShort}</p>}
    </Panel>
  );
}

function Days({ answer, shown: { interval, isOnPaper } }: { answer: Answer; shown: Shown }) {
  const { days, whole_days, time_zone } = answer;
  const scale = scaleIn(answer.scale);
  const listed = isOnPaper ? days.slice(-MOST_ON_PAPER) : days;
  const cut = listed.length < days.length ? words.last(listed.length, countText(days.length)) : '';
  if (!scale.hasEnergy) return <NoEnergy scale={scale} interval={interval} />;
  return (
    <>
      <DataTable
        caption={cut + words.caption(time_zone, scale.unit)}
        columns={words.columns}
        rows={listed.map((day) => [day.date, timeText(day.date, 'date'), ...cellsOf(day, scale)])}
        total={
          whole_days.days > 0
            ? ['whole', words.whole(whole_days.days), ...cellsOf(whole_days, scale)]
            : undefined
        }
      />
      <p className="hint">
        {whole_days.days === 0 ? words.noneWhole : words.quote} {words.measured}
      </p>
    </>
  );
}

/** With its bound, without its unit. */
export const ldenText = (of: Indicators, scale: Scale) =>
  leqText({ ...of, leq_db: of.lden_db, leq_low_db: of.lden_low_db }, scale);

function cellsOf(of: Indicators, scale: Scale): string[] {
  const text = (leq_db: number | null, leq_low_db: number | null) => leqText({ leq_db, leq_low_db }, scale);
  return [
    text(of.lday_db, of.lday_low_db),
    text(of.levening_db, of.levening_low_db),
    text(of.lnight_db, of.lnight_low_db),
    ldenText(of, scale),
    leqText(of, scale),
    [of.day_measured_percent, of.evening_measured_percent, of.night_measured_percent]
      .map(wholePercentText)
      .join(' / '),
  ];
}
