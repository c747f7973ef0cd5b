// The heat map of dominant frequencies: time to the right, third octaves upwards, darker for a larger share of points.
import { useCallback, useRef, useState } from 'react';
import type uPlot from 'uplot';
import type { Outputs } from '../../client/index.ts';
import { bucketSeconds, middlesOf } from '../charts/bucket-times.ts';
import { clipped } from '../charts/level-chart-layers.ts';
import { AROUND, createTimeChart } from '../charts/time-chart.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import {
  bandText,
  bucketText,
  countText,
  hertzText,
  percentText,
  timeText,
} from '../number-and-time-format.ts';
import type { Interval } from '../state/shown-interval.ts';
import { colour } from '../state/theme.ts';
import { Row, Table } from './scrolling-table.tsx';

type Frequencies = Outputs['stats']['frequencies'];

/** The height of a band, in CSS pixels. */
const ROW = 10;

interface HeatData {
  readonly frequencies: Frequencies;
  readonly interval: Interval;
}

export function HeatMap({ data }: { data: HeatData }) {
  const area = useRef<HTMLDivElement>(null);
  const [reading, setReading] = useState('');
  const create = useCallback(
    (parent: HTMLElement, first: HeatData) => createHeatMap(parent, first, setReading),
    [],
  );
  useTimeChart(area, data, create);
  return (
    <>
      <p className="legend soft">
        Points by the third octave of their dominant frequency, in {bucketText(data.frequencies.bucket)} each.
        It is no spectrum.
        <span>
          none <i className="heat" /> all
        </span>
      </p>
      <div ref={area} role="img" aria-label={summaryOf(data.frequencies)} />
      <p className="reading map">{reading}</p>
    </>
  );
}

function createHeatMap(parent: HTMLElement, first: HeatData, onReading: (reading: string) => void) {
  const { bands } = first.frequencies; // the same in all answers
  const named = bands.flatMap((_, band) => (band % 3 === 1 && band + 1 < bands.length ? [band + 0.5] : []));
  return createTimeChart(parent, first, {
    height: () => bands.length * ROW + AROUND,
    range: [0, bands.length],
    axis: {
      grid: { show: false },
      ticks: { show: false },
      splits: () => named,
      values: (_, places) => places.map((place) => bandText(bands[Math.floor(place)]?.nominal_hz ?? 0)),
    },
    series: [],
    columns: ({ frequencies, interval }) => [middlesOf(frequencies, interval)],
    drawBelow: (chart, { frequencies }) => drawMap(chart, frequencies),
    drawAbove() {},
    onPoint(place, { frequencies: { buckets } }, chart) {
      const bucket = place === null ? undefined : buckets[place];
      const band = Math.min(Math.floor(chart.posToVal(chart.cursor.top ?? -1, 'y')), bands.length - 1);
      const isHere = chart.over.matches(':hover'); // and not over the chart of levels
      onReading(
        isHere && bucket && bucket.point_count > 0
          ? `${timeText(bucket.time)}, ${hertzText(bands[band]?.nominal_hz)}: ${percentText(((bucket.counts[band] ?? 0) / bucket.point_count) * 100)} of the points`
          : '',
      );
    },
  });
}

/** How many points each band has. */
function totals({ bands, buckets }: Frequencies): number[] {
  return bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
}

function summaryOf(frequencies: Frequencies): string {
  const counts = totals(frequencies);
  const most = Math.max(...counts);
  if (!(most > 0)) return 'Heat map of dominant frequencies: no point has one';
  return `Heat map of dominant frequencies: most often in the third octave of ${hertzText(frequencies.bands[counts.indexOf(most)]?.nominal_hz)}`;
}

/** Darker for a larger share of the points; a few are seen too. The key of colours in style.css is of the same. */
const opacity = (share: number) => 0.15 + 0.85 * Math.sqrt(share);

function drawMap(u: uPlot, { buckets, bucket }: Frequencies): void {
  const { ctx, bbox } = u;
  const seconds = bucketSeconds(bucket);
  clipped(u, () => {
    ctx.fillStyle = colour('--heat-none');
    ctx.fillRect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.fillStyle = colour('--heat');
    for (const { time, point_count, counts } of buckets) {
      if (point_count === 0) continue;
      const start = Date.parse(time) / 1000;
      const [left, right] = [u.valToPos(start, 'x', true), u.valToPos(start + seconds, 'x', true)];
      for (const [band, count] of counts.entries()) {
        if (count === 0) continue;
        ctx.globalAlpha = opacity(count / point_count);
        const [top, bottom] = [u.valToPos(band + 1, 'y', true), u.valToPos(band, 'y', true)];
        ctx.fillRect(left, top, Math.max(right - left, devicePixelRatio), bottom - top);
      }
    }
  });
}

/** The bands as rows, of the whole interval. */
export function FrequencyTable({ frequencies }: { frequencies: Frequencies }) {
  const counts = totals(frequencies);
  const all = frequencies.buckets.reduce((sum, { point_count }) => sum + point_count, 0);
  const share = (count: number) => (all > 0 ? percentText((count / all) * 100) : '');
  return (
    <Table label="Dominant frequencies as a table" columns={['Third octave', 'Points', 'Share']}>
      <tbody>
        {frequencies.bands.map(({ nominal_hz }, band) => (
          <Row
            key={nominal_hz}
            of={hertzText(nominal_hz)}
            cells={[countText(counts[band] ?? 0), share(counts[band] ?? 0)]}
          />
        ))}
      </tbody>
    </Table>
  );
}
