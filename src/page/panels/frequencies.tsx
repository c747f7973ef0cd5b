// Dominant frequencies: a lane below the level chart with the reading at the cursor, and the table of bands.
import { useCallback, useRef, useState } from 'react';
import { createHeatMap, type Frequencies, type HeatMapData } from '../charts/frequency-heat-map.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import { countText, hertzText, percentText } from '../locale-format.ts';
import { texts } from '../texts/texts.ts';
import { Table, TableRow } from './scrolling-table.tsx';

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

/** The number of points in each band. */
function totals({ bands, buckets }: Frequencies): number[] {
  return bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
}

function summaryOf(frequencies: Frequencies): string {
  const counts = totals(frequencies);
  const most = Math.max(...counts);
  if (!(most > 0)) return tones.none;
  return tones.most(hertzText(frequencies.bands[counts.indexOf(most)]?.nominal_hz));
}

/** A row for each band, over the whole interval. */
export function FrequencyTable({ frequencies }: { frequencies: Frequencies }) {
  const counts = totals(frequencies);
  const all = frequencies.buckets.reduce((sum, { point_count }) => sum + point_count, 0);
  const share = (count: number) => (all > 0 ? percentText((count / all) * 100) : '');
  return (
    <Table label={tones.table} columns={tones.columns}>
      <tbody>
        {frequencies.bands.map(({ nominal_hz }, band) => (
          <TableRow
            key={nominal_hz}
            of={hertzText(nominal_hz)}
            cells={[countText(counts[band] ?? 0), share(counts[band] ?? 0)]}
          />
        ))}
      </tbody>
    </Table>
  );
}
