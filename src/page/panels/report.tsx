// The page on paper: a report of the interval on screen, of one to four pages of A4.
import type { Outputs } from '../../client/index.ts';
import { scaleOf } from '../../contract/shown-scale.ts';
import type { ChartData } from '../charts/level-chart-data.ts';
import { countText, intervalText, lengthText, timeText, zoneName, zonesText } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import { type PanelQueries, useLoudestAt } from '../state/panel-queries.ts';
import { DAY_MS, type View } from '../state/view-in-address.ts';
import { DayByHour, HOUR_METRICS, type HourMetric } from './day-by-hour.tsx';
import { Days } from './days.tsx';
import { Limits } from './limits.tsx';
import { GapStrip, QualityText } from './quality.tsx';
import { addressOnPaper, methodOf } from './report-method.ts';
import { LoudestEvents, PaperChart, Part } from './report-parts.tsx';
import { SummaryFigures } from './summary-figures.tsx';
import { wordsOf } from './words.ts';

/** How many days and gaps paper has. */
const [MOST_DAYS, MOST_GAPS] = [31, 10];
/** With fewer events the page has room for a high chart. */
const MANY_EVENTS = 12;

interface ReportProps {
  readonly view: View;
  readonly interval: Interval;
  readonly info: Outputs['service']['info'];
  readonly asked: PanelQueries;
  readonly chart: ChartData | undefined;
  /** What of each hour is on screen; undefined where hours are not. */
  readonly metric: HourMetric | undefined;
}

export function Report({ view, interval, info, asked, chart, metric }: ReportProps) {
  const scaleIn = (answer: { readonly scale: Outputs['stats']['summary']['scale'] } | undefined) =>
    scaleOf(answer?.scale, info.calibration_offset_db);
  const summary = known(asked.summary);
  const quality = known(asked.quality);
  const top = known(asked.top);
  const spansDays = interval.to - interval.from > DAY_MS;
  const days = known(asked.days);
  const hours = known(asked.hours);
  const limits = known(asked.limits);
  const eventHours = metric === 'events' ? known(asked.eventHours) : undefined;
  const drawn = chart && known(asked.series) && { ...chart, events: known(asked.lane) };
  const loudestAt = useLoudestAt(interval, summary, top);
  const scale = scaleIn(summary);
  const now = Date.now();
  const address = addressOnPaper(view, interval);
  return (
    <article className="report">
      <h1>{info.place_name ?? 'Audio Metrics'}</h1>
      <p className="interval">{intervalText(interval.from, interval.to)}</p>
      <p className="soft">
        {lengthText((interval.to - interval.from) / 1000)}, times of {zonesText(interval.from, interval.to)}.
        Printed {timeText(now, 'dated')} {zoneName(now)}.
      </p>
      <dl className="method">
        {methodOf({ info, interval, view, scale, quality }).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="words">
        {summary && top && quality && wordsOf({ summary, top, quality, limits, scale, loudestAt })}
      </p>
      <SummaryFigures summary={summary} scale={scale} />
      <Part title="Level" isKnown={drawn !== undefined}>
        {drawn && <PaperChart data={drawn} isHigh={spansDays || (top?.events.length ?? 0) < MANY_EVENTS} />}
        {quality && <GapStrip quality={quality} interval={interval} />}
      </Part>
      {spansDays && (
        <Part title="Days" note={lastOf(MOST_DAYS, days?.days.length)} isKnown={days !== undefined}>
          {days && <Days days={{ ...days, days: days.days.slice(-MOST_DAYS) }} scale={scaleIn(days)} />}
        </Part>
      )}
      {metric && (
        <Part
          title={`Day by hour: ${HOUR_METRICS[metric]}`}
          note={metric === 'events' ? '' : `in ${scaleIn(hours).unit}`}
          isKnown={hours !== undefined && (metric !== 'events' || eventHours !== undefined)}
        >
          {hours && (
            <DayByHour
              metric={metric}
              series={hours}
              events={eventHours}
              scale={scaleIn(hours)}
              onPaper={MOST_DAYS}
            />
          )}
        </Part>
      )}
      {info.limits.length > 0 && (
        <Part title="Limits" isKnown={limits !== undefined}>
          {limits && <Limits answer={limits} scale={scaleIn(limits)} />}
        </Part>
      )}
      <div className="beside">
        <Part title="Loudest events" isKnown={top !== undefined}>
          {top && <LoudestEvents top={top} scale={scaleIn(top)} />}
        </Part>
        <Part title="Quality" isKnown={quality !== undefined}>
          {quality && <QualityText quality={quality} most={MOST_GAPS} />}
        </Part>
      </div>
      <p className="address">
        These figures again: <a href={address}>{address}</a>
      </p>
    </article>
  );
}

/** An answer, where it is of the interval on screen. */
const known = <Data,>({
  answer: { data, isPlaceholderData },
}: {
  answer: { readonly data: Data | undefined; readonly isPlaceholderData: boolean };
}) => (isPlaceholderData ? undefined : data);

/** Such as `the last 31 of 90`; '' where all are there. */
const lastOf = (most: number, all = 0) =>
  all > most ? `the last ${countText(most)} of ${countText(all)}` : '';
