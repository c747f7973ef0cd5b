// The nights hour by hour: how far each hour was over its limit, and the verdict of each night.
import {
  clockText,
  hourText,
  isAtFloor,
  levelText,
  limitText,
  listText,
  nightText,
  percentText,
  wholeLevelText,
} from '../locale-format.ts';
import { HOUR_MS } from '../state/calendar-intervals.ts';
import { type Hour, useNights } from '../state/nights.ts';
import type { Shown } from '../state/shown.ts';
import { showInterval } from '../state/shown-interval.ts';
import { type Scale, scaleIn, siteNight } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { NightMark, NightStrip } from './night-strip.tsx';
import { Panel } from './panel-frame.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { nights: words } = texts;

const COLUMNS = Array.from({ length: 24 }, (_, hour) => hour);

export function NightsPanel({ shown }: { shown: Shown }) {
  const nights = useNights(shown);
  const { rows, zone, hoursOf, series, queries, isCompared } = nights;
  const scale = scaleIn(series?.scale);
  const hours = rows.map(hoursOf);
  const levels = hours.flat().flatMap(({ leq_db }) => leq_db ?? []);
  const look = { scale, zone, least: Math.min(...levels), most: Math.max(...levels), isCompared };
  const current = rows.find(({ to }) => shown.interval.to <= to);
  if (shown.isOnPaper && !isCompared) return null;
  return (
    <>
      <Panel
        title={words.title(rows.length)}
        className="nights"
        query={queries.series}
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
                    {hourText(((hour + 12) % 24) * HOUR_MS)}
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
                      className="link"
                      aria-current={night === current}
                      onClick={() => showInterval(night)}
                    >
                      {nightText(night.from, night.to, zone)}
                    </button>
                  </th>
                  {COLUMNS.flatMap((column) => {
                    const there = hours[row]?.filter((hour) => hour.column === column) ?? [];
                    if (there.length === 0) return [<td key={column} colSpan={2} />]; // the clocks skip it
                    return there.map((hour) => (
                      <HourCell key={hour.from} hour={hour} span={2 / there.length} look={look} />
                    ));
                  })}
                  <td>
                    <NightMark part={nights.partOf(night)} of={nights} />
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
    <p className="ramp soft">
      <span>{isCompared ? words.against : words.levels(unit)}</span>
      {isCompared &&
        [0, 2, 3, 6].map((tint, index) => (
          <span key={tint}>
            <i className={`tint-${tint}`} /> {words.ranges[index]}
          </span>
        ))}
      <span>
        <i className="lacking" /> {words.noData}
      </span>
    </p>
  );
}

interface Look {
  readonly scale: Scale;
  readonly zone: string;
  /** The lowest and the highest level of all hours. */
  readonly least: number;
  readonly most: number;
  /** Whether the station's limits can be compared with levels. */
  readonly isCompared: boolean;
}

function HourCell({ hour, span, look }: { hour: Hour; span: number; look: Look }) {
  const { from, to, column, leq_db, limit_db, measured } = hour;
  const { scale, zone } = look;
  const { start, end } = siteNight();
  const sinceStart = (((column + 12) % 24) * 60 - start + 1440) % 1440;
  const isOfNight = sinceStart < (end - start + 1440) % 1440;
  const [className, number] = lookOf(hour, look);
  const said = listText([
    leq_db === null ? words.noData : `${levelText(leq_db, scale)} ${scale.unit}`,
    limit_db === null ? '' : `${texts.key.limit} ${limitText(limit_db)}`,
    measured === null ? '' : texts.limits.measured(percentText(100 * measured)),
  ]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard, the button of the row leads there
    <td
      colSpan={span}
      className={`${className} ${isOfNight ? 'of-night' : ''}`}
      title={`${clockText(from, zone)}–${clockText(to, zone)}: ${said}`}
      onClick={() => showInterval({ from: from - HOUR_MS, to: to + HOUR_MS })}
    >
      {number}
    </td>
  );
}

/** The ends of the ranges of colours, dB over the limit. A smaller excess than 0.00001 dB is a rounding error. */
const TINTS = [-10, -5, 1e-5, 3, 6, 9];
/** The number of colours of levels without a limit. */
const SHADES = 5;

/** The colour of an hour, and by how much it was over its limit; its level if the station has no limits. */
function lookOf(hour: Hour, { scale, least, most, isCompared }: Look): [className: string, number: string] {
  const { leq_db, limit_db, measured } = hour;
  if (measured === null) return ['', ''];
  if (leq_db === null || measured < 0.5) return ['lacking', ''];
  const partly = measured < 0.9 ? ' partly' : '';
  if (!isCompared) {
    const shade = Math.floor((SHADES * (leq_db - least)) / (most - least || 1));
    return [`shade-${Math.min(shade, SHADES - 1)}${partly}`, wholeLevelText(leq_db)];
  }
  if (limit_db === null) return [`shade-0${partly}`, ''];
  const excess = isAtFloor(leq_db, scale) ? Math.min(leq_db - limit_db, 0) : leq_db - limit_db;
  const tint = TINTS.filter((end) => end < excess).length;
  return [`tint-${tint}${partly}`, excess > 0.5 ? `+${wholeLevelText(excess)}` : ''];
}
