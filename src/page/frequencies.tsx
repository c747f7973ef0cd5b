// The heat map of dominant frequencies: time to the right, third octaves upwards, darker for a larger share of points.
import { useEffect, useRef, useState } from 'react';
import type { Outputs } from '../client/index.ts';
import { bucketSeconds } from './bucket-seconds.ts';
import { bandText, bucketText, countText, hertzText, percentText, timeText } from './format.ts';
import type { Interval } from './interval.ts';
import { Row, Table } from './table.tsx';
import { colour, onTheme } from './theme.ts';
import { useWidth } from './use-width.ts';

type Frequencies = Outputs['stats']['frequencies'];

/** As the level chart has it, so that times are below one another; in CSS pixels. */
const [AXIS, MARGIN] = [52, 28];
const ROW = 10;

interface Props {
  readonly frequencies: Frequencies;
  readonly interval: Interval;
}

export function HeatMap({ frequencies, interval }: Props) {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(area) - MARGIN;
  const [reading, setReading] = useState('');
  const { bands, buckets, bucket } = frequencies;
  const height = bands.length * ROW;
  useEffect(() => {
    const draw = () =>
      canvas.current && width > 0 && drawMap(canvas.current, width, height, frequencies, interval);
    draw();
    return onTheme(draw);
  }, [frequencies, interval, width, height]);
  const look = (x: number, y: number) => {
    const time = interval.from + ((x - AXIS) / (width - AXIS)) * (interval.to - interval.from);
    const place = buckets.findLast((each) => Date.parse(each.time) <= time);
    const band = bands.length - 1 - Math.floor(y / ROW);
    const share = place && place.point_count > 0 ? (place.counts[band] ?? 0) / place.point_count : null;
    if (x < AXIS || !place || share === null) setReading('');
    else
      setReading(
        `${timeText(place.time)}, ${hertzText(bands[band]?.nominal_hz)}: ${percentText(share * 100)} of the points`,
      );
  };
  return (
    <div ref={area}>
      <p className="reading">
        {reading || (
          <span className="soft">
            Points by the third octave of their dominant frequency, in {bucketText(bucket)} each. It is no
            spectrum.
          </span>
        )}
      </p>
      <canvas
        ref={canvas}
        role="img"
        aria-label={summaryOf(frequencies)}
        onPointerMove={({ nativeEvent: { offsetX, offsetY } }) => look(offsetX, offsetY)}
        onPointerLeave={() => setReading('')}
      />
    </div>
  );
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

function drawMap(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  { bands, buckets, bucket }: Frequencies,
  { from, to }: Interval,
) {
  const dots = devicePixelRatio;
  canvas.width = width * dots;
  canvas.height = height * dots;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(dots, dots);
  const x = (time: number) => AXIS + ((time - from) / (to - from)) * (width - AXIS);
  context.fillStyle = colour('--heat-none');
  context.fillRect(AXIS, 0, width - AXIS, height);
  context.fillStyle = colour('--heat');
  const length = bucketSeconds(bucket) * 1000;
  for (const { time, point_count, counts } of buckets) {
    if (point_count === 0) continue;
    const start = Date.parse(time);
    const left = Math.max(x(start), AXIS);
    const right = Math.min(x(start + length), width);
    for (const [band, count] of counts.entries()) {
      if (count === 0) continue;
      context.globalAlpha = 0.15 + 0.85 * Math.sqrt(count / point_count); // also a few points are seen
      context.fillRect(left, height - (band + 1) * ROW, Math.max(right - left, 1), ROW);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = colour('--text-soft');
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const [band, { nominal_hz }] of bands.entries())
    if (band % 3 === 1 && band + 1 < bands.length)
      context.fillText(bandText(nominal_hz), AXIS - 6, height - (band + 0.5) * ROW);
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
