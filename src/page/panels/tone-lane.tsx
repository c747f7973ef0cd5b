// The lane of dominant frequencies below the level chart, with the reading at the cursor.
import { useCallback, useRef, useState } from 'react';
import { createHeatMap, type Frequencies, type HeatMapData } from '../charts/frequency-heat-map.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import { hertzText } from '../locale-format.ts';
import { texts } from '../texts/texts.ts';

const { tones } = texts;

export function ToneLane({ data }: { data: HeatMapData }) {
  const area = useRef<HTMLDivElement>(null);
  const [reading, setReading] = useState('');
  const create = useCallback(
    (parent: HTMLElement, first: HeatMapData) => createHeatMap(parent, first, setReading),
    [],
  );
  useTimeChart(area, data, create);
  return (
    <>
      <div
        ref={area}
        className="tones"
        role="img"
        aria-label={summaryOf(data.frequencies)}
        title={tones.title}
      />
      <p className="tone-reading soft">{reading}</p>
    </>
  );
}

function summaryOf({ bands, buckets }: Frequencies): string {
  const totals = bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
  const most = Math.max(...totals);
  if (!(most > 0)) return tones.none;
  return tones.most(hertzText(bands[totals.indexOf(most)]?.nominal_hz));
}
