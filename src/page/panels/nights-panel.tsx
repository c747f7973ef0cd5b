// The nights hour by hour: how far each hour was over its limit, and the verdict of each night.
import {
  clocksText,
  isAtFloor,
  levelText,
  limitText,
  listText,
  nightText,
  percentText,
  timeText,
  wholeLevelText,
} from '../locale-format.ts';
import { HOUR_MS } from '../state/calendar-intervals.ts';
import { type Hour, useNights } from '../state/nights.ts';
import type { Shown } from '../state/shown.ts';
import { showInterval } from '../state/shown-interval.ts';
import { type Scale, siteNight } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { lookOfExcess, lookOfLevel, NightMark, NightStrip } from './night-strip.tsx';
import { Panel } from './panel-frame.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { nights: words } = texts;

const COLUMNS = Array.from({ length: 24 }, (_, hour) => hour);

export function NightsPanel({ shown }: { shown: Shown }) {
  const nights = useNights(shown);
  const { rows, zone, scale } = nights;
  const hours = rows.map(nights.hoursOf);
  const isCompared = hours.flat().some(({ limit_db }) => limit_db !== null);
  const levels = hours.flat().flatMap(({ leq_db }) => leq_db ?? []);
  const range = isCompared ? undefined : ([Math.min(...levels), Math.max(...levels)] as const);
  const look = { scale, zone, range };
  const current = rows.find(({ to }) => shown.interval.to <= to);
  if (shown.isOnPaper && !isCompared) return null;
  return (
    <>
      <Panel
        title={words.title(rows.length)}
        className="nights wide"
        query={nights.series}
        tools={<Legend isCompared={isCompared} unit={scale.unit} />}
      >
        <NoEnergy scale={scale} interval={shown.interval} />
        <div className="scroll">
          <table className="hours">
            <thead>
              <tr>
                <td />
                {COLUMNS.filter((hour) => hour % 2 === 0).map((hour) => (
                  <th key={hour} scope="col" colSpan={4}>
                    {timeText((hour + 12) * HOUR_MS, 'hour', 'UTC')}
                  </th>
                ))}
                <th scope="col">{words.night}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((night, row) => (
                <tr key={night.from}>
                  <th scope="row">
                    <button
                      type="button"
                      className="plain"
                      aria-current={night === current ? 'date' : undefined}
                      onClick={() => showInterval(night)}
                    >
                      {nightText(night.from, night.to, zone)}
                    </button>
                  </th>
                  {COLUMNS.map((column) => {
                    const there = hours[row]?.filter((hour) => hour.column === column) ?? [];
                    if (there.length === 0) return <td key={column} colSpan={2} />; // the clocks skip it
                    return there.map((hour) => (
                      <HourCell key={hour.from} hour={hour} span={2 / there.length} look={look} />
                    ));
                  })}
                  <td>
                    <NightMark part={nights.partOf(night)} scale={scale} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <NightStrip of={nights} />
    </>
  );
}

function Legend({ isCompared, unit }: { isCompared: boolean; unit: string }) {
  return (
    <p className="legend soft">
      <span>{isCompared ? words.against : words.levels(unit)}</span>
      {isCompared &&
        [-10, 0, 3, 10].map((excess, index) => (
          <span key={excess}>
            <i style={lookOfExcess(excess)} /> {words.ranges[index]}
          </span>
        ))}
      <span className="blank">
        <i /> {words.noData}
      </span>
    </p>
  );
}

interface Look {
  readonly scale: Scale;
  readonly zone: string;
  /** The range of all levels if the station has no limits. */
  readonly range: readonly [least: number, most: number] | undefined;
}

function HourCell({ hour, span, look }: { hour: Hour; span: number; look: Look }) {
  const { from, to, column, leq_db, limit_db, measured } = hour;
  const { scale, zone } = look;
  const { start, end } = siteNight();
  const isOfNight = (column * 60 + 2160 - start) % 1440 < (end - start + 1440) % 1440;
  const isLacking = measured !== null && (leq_db === null || measured < 0.5);
  const isPartial = measured !== null && measured < 0.9 && !isLacking;
  const { style, text } = isLacking || measured === null ? {} : lookOf(hour, look);
  const said = listText([
    leq_db === null ? words.noData : `${levelText(leq_db, scale)} ${scale.unit}`,
    limit_db === null ? '' : `${texts.key.limit} ${limitText(limit_db)}`,
    measured === null ? '' : texts.limits.measured(percentText(100 * measured)),
  ]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard, the button of the row leads there
    <td
      colSpan={span}
      className={`${isOfNight ? 'of-night' : ''} ${isLacking ? 'lacking' : isPartial ? 'partial' : ''}`}
      style={style}
      title={`${clocksText(from, to, zone)}: ${said}`}
      onClick={() => showInterval({ from: from - HOUR_MS, to: to + HOUR_MS })}
    >
      {text}
    </td>
  );
}

/** The colour of an hour, and by how much it was over its limit; its level if the station has no limits. */
function lookOf({ leq_db, limit_db }: Hour, { scale, range }: Look) {
  if (leq_db === null) return {};
  if (range) {
    const [least, most] = range;
    return { style: lookOfLevel((leq_db - least) / (most - least || 1)), text: wholeLevelText(leq_db) };
  }
  if (limit_db === null) return { style: lookOfLevel(0) };
  const excess = isAtFloor(leq_db, scale) ? Math.min(leq_db - limit_db, 0) : leq_db - limit_db;
  return { style: lookOfExcess(excess), text: excess > 0.5 && `+${wholeLevelText(excess)}` };
}
