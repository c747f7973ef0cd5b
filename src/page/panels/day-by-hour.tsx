// A grid of the hours of each day: Leq, L90 or events. On screen a click goes to the hour.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { countText, levelText, rangeText, timeText, wholeLevelText } from '../locale-format.ts';
import { showInterval, wholeSecond } from '../state/shown-interval.ts';
import { timeZone } from '../state/time-zone.ts';
import { DAY_MS } from '../state/view-in-address.ts';
import { type HourCell, hourRows } from './hour-rows.ts';
import { useOneTabStop } from './one-tab-stop.ts';

export const HOUR_METRICS = { leq: 'Leq', l90: 'L90', events: 'events' } as const;
export type HourMetric = keyof typeof HOUR_METRICS;

/** The longest interval that is drawn hour by hour. */
export const MOST_HOURS_MS = 62 * DAY_MS;

interface GridProps {
  readonly metric: HourMetric;
  readonly series: Outputs['stats']['series'];
  /** Where the metric is events. */
  readonly events: Outputs['events']['series'] | undefined;
  readonly scale: Scale;
  /** How many days paper has, the last ones; undefined for all, with buttons. */
  readonly onPaper?: number;
}

export function DayByHour({ metric, series, events, scale, onPaper }: GridProps) {
  const stops = useOneTabStop<HTMLTableElement>('button', 24);
  const hours = valuesOf({ metric, series, events, scale });
  const rows = hourRows(hours, timeZone()).slice(onPaper === undefined ? 0 : -onPaper);
  const values = hours.flatMap(({ value }) => value ?? []);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const share = (value: number) => (most > least ? (value - least) / (most - least) : 0.5);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className="scroll hours" tabIndex={0} aria-label="Day by hour as a table">
      <table ref={stops.ref} onKeyDown={stops.onKeyDown} onFocus={stops.onFocus}>
        <thead>
          <tr>
            <th scope="col">Day</th>
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
  // on paper at most half as dark: one colour of text is readable on all
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

/** From the least to the most. The middle is left out: neither text could be read on it. */
function shade(part: number): string {
  const percent = part > 0.5 ? 70 + 60 * (part - 0.5) : 70 * part;
  return `color-mix(in srgb, var(--heat) ${Math.round(percent)}%, var(--heat-none))`;
}

/** Each hour with its value, and how that is written in the cell and in full. */
function valuesOf({ metric, series, events, scale }: Omit<GridProps, 'onPaper'>): HourCell[] {
  const ends = (buckets: readonly { time: string }[], place: number) => {
    const from = Date.parse(buckets[place]?.time ?? '');
    const next = buckets[place + 1]?.time;
    return { from, to: next === undefined ? from + 3_600_000 : Date.parse(next) };
  };
  if (metric === 'events')
    return (events?.buckets ?? []).map(({ event_count }, place, buckets) => ({
      ...ends(buckets, place),
      value: event_count === 0 ? null : event_count,
      short: event_count === 0 ? '·' : countText(event_count),
      long: event_count === 1 ? '1 event' : `${countText(event_count)} events`,
    }));
  return series.buckets.map((bucket, place, buckets) => {
    const value = metric === 'leq' ? bucket.leq_db : bucket.l90_db;
    return {
      ...ends(buckets, place),
      value,
      short: value === null ? '' : wholeLevelText(value, scale),
      long: value === null ? 'no points' : `${HOUR_METRICS[metric]} ${levelText(value, scale)} ${scale.unit}`,
    };
  });
}
