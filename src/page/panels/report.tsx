// The page on paper: a report of the interval on screen, one to four pages of A4.
import type { Outputs } from '../../client/index.ts';
import {
  countText,
  intervalText,
  lengthText,
  leqText,
  levelText,
  percentText,
  timeText,
  zoneName,
  zonesText,
} from '../locale-format.ts';
import { scaleIn } from '../state/scale.ts';
import { useSecondLevel } from '../state/second-level.ts';
import { pageTitle } from '../state/service-url.ts';
import {
  hasHours,
  type Shown,
  spansDays,
  useDays,
  useHours,
  useLane,
  useLimits,
  useQuality,
  useSeries,
  useSummary,
  useTop,
} from '../state/shown.ts';
import { stillAddress } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';
import { DayByHour } from './day-by-hour.tsx';
import { Days } from './days.tsx';
import { useChartData } from './level-panel.tsx';
import { Limits } from './limits.tsx';
import { NoEnergy } from './no-energy.tsx';
import { Overloaded } from './notices.tsx';
import { GapStrip, QualityText } from './quality.tsx';
import { methodOf } from './report-method.ts';
import { LoudestEvents, PaperChart, Part, Verdicts } from './report-parts.tsx';
import { SummaryFigures } from './summary-figures.tsx';

const { report: words } = texts;

/** The maximum number of days and of gaps on paper. */
const [MOST_DAYS, MOST_GAPS] = [31, 10];
/** With fewer events the page has room for a taller chart. */
const MANY_EVENTS = 12;

export function Report({ shown, isLive }: { shown: Shown; isLive: boolean }) {
  const { view, interval, info } = shown;
  const chart = useChartData(shown, isLive);
  const series = known(useSeries(shown));
  const lane = known(useLane(shown));
  const summary = known(useSummary(shown));
  const quality = known(useQuality(shown));
  const top = known(useTop(shown));
  const days = known(useDays(shown));
  const hours = known(useHours(shown));
  const limits = known(useLimits(shown));
  const drawn = chart && series && { ...chart, events: lane };
  const second = useSecondLevel(interval);
  const scale = scaleIn(summary?.scale);
  const { excluded_seconds = 0 } = summary ?? {};
  const overload_percent = summary?.overload_percent ?? 0;
  const metric = info.limits.length > 0 && scale.isAbsolute && scale.hasEnergy ? 'over' : 'leq';
  const hourScale = scaleIn(hours?.scale);
  const now = Date.now();
  const address = stillAddress(view, interval);
  return (
    <article className="report">
      <h1>{pageTitle(info)}</h1>
      <p className="interval">{intervalText(interval.from, interval.to)}</p>
      <p className="soft">
        {words.times(lengthText((interval.to - interval.from) / 1000), zonesText(interval.from, interval.to))}{' '}
        {words.printed(`${timeText(now, 'dated')} ${zoneName(now)}`)}
      </p>
      <dl className="method">
        {methodOf({ shown, scale, quality }).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="words">
        {summary &&
          quality &&
          [
            `${scale.level} ${scale.hasEnergy ? leqText(summary, scale) : levelText(summary.max_db, scale)} ${scale.unit}`,
            `${texts.cards.measured} ${percentText(measuredOf(summary, quality))}`,
          ].join(', ')}
      </p>
      {limits && <Verdicts of={limits} />}
      {overload_percent > 0 && <Overloaded percent={overload_percent} />}
      {excluded_seconds > 0 && <p>{texts.leftOut(lengthText(excluded_seconds))}</p>}
      <NoEnergy scale={scale} interval={interval} />
      <SummaryFigures summary={summary} scale={scale} second={second} />
      <Part title={texts.level.title} isKnown={drawn !== undefined}>
        {drawn && (
          <PaperChart data={drawn} isHigh={spansDays(shown) || (top?.events.length ?? 0) < MANY_EVENTS} />
        )}
        {quality && <GapStrip quality={quality} interval={interval} oldest={info.oldest} />}
      </Part>
      {spansDays(shown) && (
        <Part
          title={texts.days.title}
          note={lastOf(MOST_DAYS, days?.days.length)}
          isKnown={days !== undefined}
        >
          {days && <Days days={{ ...days, days: days.days.slice(-MOST_DAYS) }} interval={interval} />}
        </Part>
      )}
      {hasHours(shown) && (
        <Part
          title={texts.hours.title}
          note={words.inUnit(hourScale.level, hourScale.unit)}
          isKnown={hours !== undefined}
        >
          {hours && (
            <DayByHour
              metric={metric}
              series={hours}
              events={undefined}
              scale={hourScale}
              limits={info.limits}
              onPaper={MOST_DAYS}
            />
          )}
        </Part>
      )}
      {info.limits.length > 0 && (
        <Part title={texts.limits.title} isKnown={limits !== undefined}>
          {limits && <Limits answer={limits} />}
        </Part>
      )}
      <div className="beside">
        <Part title={words.loudest} isKnown={top !== undefined}>
          {top && <LoudestEvents top={top} scale={scaleIn(top.scale)} />}
        </Part>
        <Part title={texts.quality.title} isKnown={quality !== undefined}>
          {quality && <QualityText quality={quality} most={MOST_GAPS} />}
        </Part>
      </div>
      <p className="address">
        {words.again} <a href={address}>{address}</a>
      </p>
    </article>
  );
}

/** An answer, if it covers the interval on screen. */
const known = <Data,>({
  answer: { data, isPlaceholderData },
}: {
  answer: { readonly data: Data | undefined; readonly isPlaceholderData: boolean };
}) => (isPlaceholderData ? undefined : data);

/** The share of the interval, up to now, that the figures cover. Points in excluded time do not count. */
function measuredOf(summary: Outputs['stats']['summary'], quality: Outputs['stats']['quality']) {
  const { coverage_percent, point_count } = quality;
  if (coverage_percent === null || summary.excluded_seconds === 0) return coverage_percent;
  return (coverage_percent * summary.point_count) / Math.max(point_count, 1);
}

/** For example `the last 31 of 90`; '' if all are listed. */
const lastOf = (most: number, all = 0) => (all > most ? words.lastOf(countText(most), countText(all)) : '');
