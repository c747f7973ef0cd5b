// A grid of the hours of each day: excess over the limit, level, L90 or events. On screen a click opens the hour.
import type { Outputs } from '../../client/index.ts';
import type { Limit } from '../../contract/limits.ts';
import {
  countText,
  isAtFloor,
  levelText,
  limitText,
  rangeText,
  signedText,
  timeText,
  wholeLevelText,
} from '../locale-format.ts';
import { limitAt } from '../state/limit-steps.ts';
import { levelOf, type Scale } from '../state/scale.ts';
import { showInterval, wholeSecond } from '../state/shown-interval.ts';
import { serviceZone, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { type HourCell, hourRows } from './hour-rows.ts';
import { useOneTabStop } from './one-tab-stop.ts';

const { hours: words } = texts;
export type HourMetric = keyof typeof words.metrics;

/** An hour this far over its limit, in dB, gets the full shade. */
const MOST_OVER_DB = 10;

interface GridProps {
  readonly metric: HourMetric;
  readonly series: Outputs['stats']['series'];
  /** Present if the metric is events. */
  readonly events: Outputs['events']['series'] | undefined;
  readonly scale: Scale;
  readonly limits: readonly Limit[];
  /** How many of the last days to show on paper. Undefined on screen: all days, with buttons. */
  readonly onPaper?: number;
}

export function DayByHour({ metric, series, events, scale, limits, onPaper }: GridProps) {
  const stops = useOneTabStop<HTMLTableElement>('button', 24);
  const hours = valuesOf({ metric, series, events, scale, limits });
  const rows = hourRows(hours, timeZone()).slice(onPaper === undefined ? 0 : -onPaper);
  const values = hours.flatMap(({ value }) => value ?? []);
  const isOver = metric === 'over';
  const [least, most] = isOver ? [0, MOST_OVER_DB] : [Math.min(...values), Math.max(...values)];
  const share = (value: number) =>
    most > least ? Math.min(Math.max((value - least) / (most - least), 0), 1) : 0.5;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className={`scroll hours${isOver ? ' of-limit' : ''}`} tabIndex={0} aria-label={words.table}>
      <table ref={stops.ref} onKeyDown={stops.onKeyDown} onFocus={stops.onFocus}>
        <thead>
          <tr>
            <th scope="col">{words.day}</th>
            {Array.from({ length: 24 }, (_, hour) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hours stay where they are
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ date, cells }) => (
            <tr key={date}>
              <th scope="row">{timeText(date, 'date')}</th>
              {cells.map((cell, hour) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: hours stay where they are
                <td key={hour}>
                  {cell && <Cell cell={cell} share={share} isStill={onPaper !== undefined} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({
  cell: { from, to, value, short, long },
  share,
  isStill,
}: {
  cell: HourCell;
  share: (value: number) => number;
  isStill: boolean;
}) {
  const said = `${rangeText(from, to, 'minute')}: ${long}`;
  const part = value === null ? undefined : share(value);
  // on paper at most half as dark, so that one text colour is readable on all shades
  if (isStill)
    return <span style={part === undefined ? {} : { backgroundColor: shade(part / 2) }}>{short}</span>;
  return (
    <button
      type="button"
      aria-label={short === '' ? said : `${short}, ${said}`}
      title={said}
      className={part === undefined ? 'none' : part > 0.5 ? 'loud' : 'quiet'}
      style={part === undefined ? undefined : { backgroundColor: shade(part) }}
      onClick={() => showInterval({ from, to: Math.min(to, wholeSecond()) })}
    >
      {short}
    </button>
  );
}

/** A stronger shade for a larger part. Skips the middle shades, on which neither text colour is readable. */
function shade(part: number): string {
  const percent = part > 0.5 ? 70 + 60 * (part - 0.5) : 70 * part;
  return `color-mix(in srgb, var(--shade) ${Math.round(percent)}%, var(--heat-none))`;
}

/** The start and end of the hour at an index. */
function ends(buckets: readonly { time: string }[], index: number) {
  const from = Date.parse(buckets[index]?.time ?? '');
  const next = buckets[index + 1]?.time;
  return { from, to: next === undefined ? from + 3_600_000 : Date.parse(next) };
}

/** The excess of each hour over the limit that applies at its start. */
function overLimits({ buckets }: GridProps['series'], limits: readonly Limit[], scale: Scale): HourCell[] {
  const limitOf = limitAt(limits, serviceZone());
  return buckets.map(({ time, leq_db }, index) => {
    const limit = limitOf(Date.parse(time));
    const isKnown = leq_db !== null && limit !== undefined && !isAtFloor(leq_db, scale);
    const over = isKnown ? leq_db - limit : null;
    const short = leq_db === null ? '' : wholeLevelText(leq_db);
    const level = leq_db === null ? texts.noPoints : `Leq ${levelText(leq_db, scale)} ${scale.unit}`;
    const beside =
      over === null || limit === undefined ? '' : `, ${words.over(signedText(over), limitText(limit))}`;
    return { ...ends(buckets, index), value: over, short, long: level + beside };
  });
}

/** Each hour with its value, and its text in the cell and in full. */
function valuesOf({ metric, series, events, scale, limits }: Omit<GridProps, 'onPaper'>): HourCell[] {
  if (metric === 'events')
    return (events?.buckets ?? []).map(({ event_count }, index, buckets) => ({
      ...ends(buckets, index),
      value: event_count === 0 ? null : event_count,
      short: event_count === 0 ? '·' : countText(event_count),
      long: words.events(event_count, countText(event_count)),
    }));
  if (metric === 'over') return overLimits(series, limits, scale);
  return series.buckets.map((bucket, index, buckets) => {
    const value = metric === 'leq' ? levelOf(bucket, scale) : bucket.l90_db;
    const name = metric === 'leq' ? scale.level : words.metrics[metric];
    return {
      ...ends(buckets, index),
      value,
      short: value === null ? '' : wholeLevelText(value),
      long: value === null ? texts.noPoints : `${name} ${levelText(value, scale)} ${scale.unit}`,
    };
  });
}
