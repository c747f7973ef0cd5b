// The heat map of dominant frequencies: time to the right, third octaves upwards, darker for a larger share of points.
import { type PointerEvent, useMemo, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { timed } from '../charts/level-chart-data.ts';
import { bandText, percentText, timeText } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type Shown, useFrequencies } from '../state/shown.ts';
import { texts } from '../texts/texts.ts';
import { PointsEnd } from './notices.tsx';
import { Panel } from './panel-frame.tsx';

const { tones: words } = texts;

type Frequencies = Outputs['stats']['frequencies'];

export function PitchPanel({ shown }: { shown: Shown }) {
  const query = useFrequencies(shown);
  return (
    <Panel title={words.title} meaning="pitch" className="pitch" query={query}>
      <PointsEnd of={query.data} />
      {query.data && <HeatMap of={query.data} />}
    </Panel>
  );
}

const SHADES = 8;
/** Bands are named at the middle of each third of the map. */
const NAMED = [5 / 6, 3 / 6, 1 / 6];

function HeatMap({ of }: { of: Frequencies }) {
  const { bands } = of;
  const [reading, setReading] = useState('');
  const interval = { from: Date.parse(of.from), to: Date.parse(of.to) };
  const shades = useMemo(() => shadesOf(of), [of]);
  const read = ({ clientX, clientY, currentTarget }: PointerEvent<SVGElement>) => {
    const { left, bottom, width, height } = currentTarget.getBoundingClientRect();
    setReading(readingAt(of, interval, (clientX - left) / width, (bottom - clientY) / height));
  };
  return (
    <div className="tones soft">
      <p className="bands">
        {NAMED.map((place) => (
          <small key={place}>{bandText(bands[Math.floor(place * bands.length)]?.nominal_hz)}</small>
        ))}
      </p>
      <svg
        role="img"
        aria-label={summaryOf(of)}
        viewBox={`0 0 ${interval.to - interval.from} ${bands.length}`}
        preserveAspectRatio="none"
        onPointerMove={read}
        onPointerLeave={() => setReading('')}
      >
        {shades.map((path, shade) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a shade is its index
          <path key={shade} d={path} opacity={0.15 + (0.85 * (shade + 1)) / SHADES} />
        ))}
      </svg>
      <p>
        {(reading ? [reading] : [interval.from, interval.to].map((time) => timeText(time, 'minute'))).map(
          (text) => (
            <small key={text}>{text}</small>
          ),
        )}
      </p>
    </div>
  );
}

/** The cells of each shade, as paths: darker for a larger share, visible even for a small one. */
function shadesOf(of: Frequencies): string[] {
  const [start, top] = [Date.parse(of.from), of.bands.length - 1];
  const paths = Array.from({ length: SHADES }, () => '');
  for (const { from, to, counts, point_count } of timed(of))
    for (const [band, count] of counts.entries()) {
      if (count === 0) continue;
      const shade = Math.ceil(SHADES * Math.sqrt(count / point_count)) - 1;
      paths[shade] += `M${from - start} ${top - band}h${to - from}v1h${from - to}z`;
    }
  return paths;
}

/** @param across,up shares of the width and the height of the map */
function readingAt(of: Frequencies, { from, to }: TimeSpan, across: number, up: number): string {
  const time = from + across * (to - from);
  const bucket = timed(of).findLast((each) => each.from <= time);
  const band = Math.floor(up * of.bands.length);
  if (!bucket || bucket.point_count === 0) return '';
  const share = ((bucket.counts[band] ?? 0) / bucket.point_count) * 100;
  return words.reading(timeText(bucket.time), bandText(of.bands[band]?.nominal_hz), percentText(share));
}

function summaryOf({ bands, buckets }: Frequencies): string {
  const totals = bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
  const most = Math.max(...totals);
  if (!(most > 0)) return words.none;
  return words.most(bandText(bands[totals.indexOf(most)]?.nominal_hz));
}
