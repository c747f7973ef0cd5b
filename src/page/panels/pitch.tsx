// The heat map of dominant frequencies, with the reading at the cursor.
import { useCallback, useMemo, useState } from 'react';
import { createHeatMap, type Frequencies, type HeatMapData } from '../charts/frequency-heat-map.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import { bandText } from '../locale-format.ts';
import { type Shown, useFrequencies } from '../state/shown.ts';
import { texts } from '../texts/texts.ts';
import { Panel } from './panel-frame.tsx';

const { tones: words } = texts;

export function PitchPanel({ shown }: { shown: Shown }) {
  const { interval, isOnPaper } = shown;
  const query = useFrequencies(shown);
  const frequencies = query.data;
  const data = useMemo(
    () => frequencies && { interval, frequencies, isOnPaper },
    [frequencies, interval, isOnPaper],
  );
  return (
    <Panel title={words.title} meaning="pitch" query={query}>
      {data && <HeatMap data={data} />}
    </Panel>
  );
}

function HeatMap({ data }: { data: HeatMapData }) {
  const [reading, setReading] = useState('');
  const create = useCallback(
    (parent: HTMLElement, first: HeatMapData) => createHeatMap(parent, first, setReading),
    [],
  );
  const { area } = useTimeChart(data, create);
  return (
    <>
      <div ref={area} className="tones" role="img" aria-label={summaryOf(data.frequencies)} />
      <p className="tone-reading soft">{reading}</p>
    </>
  );
}

function summaryOf({ bands, buckets }: Frequencies): string {
  const totals = bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
  const most = Math.max(...totals);
  if (!(most > 0)) return words.none;
  return words.most(bandText(bands[totals.indexOf(most)]?.nominal_hz));
}
