// A year as a calendar, a row a month: the Lden of each day, or each night against its limit.
import { type ReactNode, useState } from 'react';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { YEAR_TEXTS } from '../../texts/year.ts';
import { listText, nightText, timeText, wholeLevelText } from '../locale-format.ts';
import { ldenText } from '../panels/days.tsx';
import { useOneTabStop } from '../panels/keyboard-focus.ts';
import { lookOfLevel, SQUARES, Square, saidOf } from '../panels/night-strip.tsx';
import { PointsEnd, SeveralPeriods } from '../panels/notices.tsx';
import { Panel } from '../panels/panel-frame.tsx';
import { HowToCalibrate, NoEnergy } from '../panels/summary-figures.tsx';
import { DAY_MS, isYear, MINUTE_MS, type TimeSpan, yearOf } from '../state/calendar-intervals.ts';
import { useClock } from '../state/live-level.ts';
import { nightsUpTo, partsByNight } from '../state/nights.ts';
import type { Shown } from '../state/shown.ts';
import { showInterval, timesIn } from '../state/shown-interval.ts';
import { type Info, scaleIn, serviceZone, siteNight } from '../state/site.ts';
import { language, locales, texts } from '../texts/texts.ts';
import { Comparison } from './comparison.tsx';
import { type Days, type Nights, useDaysOf, useNightsOf } from './year-answers.ts';

const { [language]: words } = YEAR_TEXTS;

const MODES = ['lden', 'nights'] as const;
const MONTHS = Array.from({ length: 12 }, (_, month) => month);
const DATES = Array.from({ length: 31 }, (_, index) => index + 1);

/** What the calendar shows of a day, and where a click leads. */
interface Cell extends TimeSpan {
  readonly look: ReactNode;
  readonly said: string;
  /** Whether a night was over; undefined if that is open. */
  readonly isOver?: boolean | undefined;
}

/** By date. Days ahead and before the first point have none. */
type Cells = ReadonlyMap<string, Cell>;

export function YearCalendar({ shown: { view, info, interval }, range }: { shown: Shown; range: ReactNode }) {
  const now = useClock(MINUTE_MS);
  const thisYear = yearOf('year', now, serviceZone());
  const year = isYear(view.preset) ? yearOf(view.preset, now, serviceZone()) : thisYear;
  const hasLimits = info.limits.length > 0;
  const [chosen, choose] = useState<(typeof MODES)[number]>('lden');
  const isOfNights = hasLimits && chosen === 'nights';
  const days = useDaysOf(year, 'day');
  const nights = useNightsOf(year, 'include', isOfNights);
  const months = useDaysOf(year, 'month').data?.days;
  const scale = scaleIn(days.data?.scale);
  const levels = days.data?.days.flatMap(({ lden_db }) => lden_db ?? []) ?? [];
  const ends = [5 * Math.floor(Math.min(...levels) / 5), 5 * Math.ceil(Math.max(...levels) / 5)] as const;
  const cells = isOfNights ? nightCells(nights.data, year, info) : dayCells(days.data, ends, info, now);
  const keyOfLevels = ends.map((db, at) => ['', lookOfLevel(at), `${db} ${scale.unit}`] as const);
  const { over, under, undecided } = texts.verdicts;
  const key = isOfNights
    ? ([
        ['', SQUARES['▲'], over],
        ['', SQUARES['✓'], under],
        ['lacking', {}, undecided],
      ] as const)
    : ([
        ...(levels.length > 0 ? keyOfLevels : []),
        ['partial', lookOfLevel(0), words.partly],
        ['lacking', {}, texts.nights.noData],
      ] as const);
  const figureOf = (month: number) => {
    const of = months?.[month];
    if (isOfNights) return overIn(cells, dateOf(year, month, 1));
    return of && of.days_whole > 0 ? ldenText(of, scale) : '';
  };
  return (
    <Panel title={`${year}`} meaning="lden" className="year" query={isOfNights ? nights : days} tools={range}>
      <div>
        <div className="legend soft">
          {hasLimits && (
            <fieldset className="group">
              <legend className="hidden">{words.show}</legend>
              {MODES.map((mode) => (
                <button key={mode} type="button" aria-pressed={mode === chosen} onClick={() => choose(mode)}>
                  {words.modes[mode]}
                </button>
              ))}
            </fieldset>
          )}
          {key.map(([className, style, meaning]) => (
            <span key={meaning}>
              <i className={className} style={style} /> {meaning}
            </span>
          ))}
        </div>
        <Calendar year={year} cells={cells} figureOf={figureOf} />
        {days.data?.overall.point_count === 0 && <p className="hint">{nothingText(year, info)}</p>}
        <PointsEnd of={days.data} />
        {days.data?.scale.unit === null && <SeveralPeriods scale={days.data.scale} />}
        <NoEnergy scale={scale} interval={interval} />
        {scale.unit === 'dBFS' && <HowToCalibrate />}
      </div>
      <Comparison year={year} isRunning={year === thisYear} hasLimits={hasLimits} />
    </Panel>
  );
}

/** For example `2026-02-28`. */
const dateOf = (year: number, month: number, date: number) =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);

const nothingText = (year: number, { oldest }: Info) =>
  oldest && oldest > dateOf(year, 12, 1) ? texts.level.notYet(timeText(oldest, 'minute')) : texts.why.none;

/** For example `3 of 30`: of the nights of a month that are decided. */
function overIn(cells: Cells, first: string): string {
  const decided = [...cells].flatMap(([date, { isOver }]) =>
    date.slice(0, 7) === first.slice(0, 7) ? (isOver ?? []) : [],
  );
  return decided.length > 0 ? texts.limits.of(`${decided.filter(Boolean).length}`, `${decided.length}`) : '';
}

/** @param ends the levels of the palest and of the darkest colour */
function dayCells(
  answer: Days | undefined,
  [least, most]: readonly [number, number],
  { oldest }: Info,
  now: number,
): Cells {
  const scale = scaleIn(answer?.scale);
  const begun = answer?.days.filter(({ from, to }) => Date.parse(from) < now && to > (oldest ?? to)) ?? [];
  return new Map(
    begun.map((day) => {
      const { date, lden_db, days_whole, point_count } = day;
      const isPartial = days_whole === 0;
      const isLacking = isPartial && lden_db === null && Date.parse(day.to) <= now;
      const lack = point_count === 0 ? texts.nights.noData : isPartial ? words.partly : '';
      const said = listText([
        timeText(date, 'date'),
        lden_db === null ? '' : `Lden ${ldenText(day, scale)} ${scale.unit}`,
        lack || (scale.hasEnergy ? '' : texts.reasons.energy_of_maxima()),
      ]);
      const share = ((lden_db ?? least) - least) / (most - least || 1);
      const look = (
        <i
          key={date}
          className={isLacking ? 'lacking' : isPartial ? 'partial' : ''}
          style={isLacking ? {} : lookOfLevel(share)}
          aria-hidden="true"
        >
          {lden_db !== null && wholeLevelText(lden_db)}
        </i>
      );
      return [date, { ...timesIn(day), said, look }];
    }),
  );
}

/** The night of a date follows its noon. */
function nightCells(answer: Nights | undefined, year: number, { oldest }: Info): Cells {
  const zone = serviceZone();
  const partOf = partsByNight(answer, oldest);
  const end = timeZoneClock(zone).firstAt(Date.UTC(year + 1, 0, 1, 12));
  const count = (Date.UTC(year + 1, 0) - Date.UTC(year, 0)) / DAY_MS;
  const nights = nightsUpTo(end, count, zone, siteNight());
  return new Map(
    nights.flatMap((night, index) => {
      const part = partOf(night);
      if (!part) return [];
      const { state, is_running } = part;
      const said = `${nightText(night.from, night.to, zone)}: ${saidOf(part, scaleIn(answer?.scale))}`;
      const isOver = state === 'over' || (state === 'under' && !is_running ? false : undefined);
      return [[dateOf(year, 0, index + 1), { ...timesIn(part), said, isOver, look: <Square part={part} /> }]];
    }),
  );
}

function Calendar(of: { year: number; cells: Cells; figureOf: (month: number) => string }) {
  const { year, cells, figureOf } = of;
  const stops = useOneTabStop<HTMLDivElement>('button');
  const startOf = (month: number) => timeZoneClock(serviceZone()).firstAt(Date.UTC(year, month));
  return (
    <div {...stops}>
      <table className="hours calendar">
        <thead>
          <tr>
            <td />
            {DATES.map((date) => (
              <th key={date} scope="col">
                {date}
              </th>
            ))}
            <th scope="col">{words.month}</th>
          </tr>
        </thead>
        <tbody>
          {MONTHS.map((month) => (
            <tr key={month}>
              <th scope="row">
                <DayButton of={{ from: startOf(month), to: startOf(month + 1) }}>
                  {new Date(Date.UTC(year, month)).toLocaleString(locales, {
                    month: 'short',
                    timeZone: 'UTC',
                  })}
                </DayButton>
              </th>
              {DATES.map((date) => {
                const cell = cells.get(dateOf(year, month, date));
                const isThere = cell && dateOf(year, month, date).endsWith(`${date}`);
                return <td key={date}>{isThere && <DayButton of={cell}>{cell.look}</DayButton>}</td>;
              })}
              <td>{figureOf(month)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const DayButton = ({ of, children }: { of: TimeSpan & { said?: string }; children: ReactNode }) => (
  <button type="button" className="plain" title={of.said} onClick={() => showInterval(of)}>
    <span className="hidden">{of.said}</span>
    {children}
  </button>
);
