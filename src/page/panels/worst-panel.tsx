// The worst stretches of the interval: their times, levels, shares of the energy, and third octaves.
import { bandText, levelText, percentText, rangeText } from '../locale-format.ts';
import { type Shown, useWorst } from '../state/shown.ts';
import { showInterval } from '../state/shown-interval.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { Panel } from './panel-frame.tsx';
import { ScrollingTable } from './scrolling-table.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { worst: words } = texts;

export function WorstPanel({ shown }: { shown: Shown }) {
  const query = useWorst(shown);
  const { data } = query;
  const scale = scaleIn(data?.scale);
  const { worst = [] } = data ?? {};
  const [first] = worst;
  return (
    <Panel title={words.title} meaning="worst" className="worst" query={query}>
      {data && !first && scale.hasEnergy && <p className="soft">{words.none}</p>}
      <NoEnergy scale={scale} interval={shown.interval} />
      {first && (
        <ScrollingTable
          label={words.table}
          caption={words.caption(levelText(first.background_db, scale), scale.unit)}
          columns={words.columns(scale.unit)}
          rows={worst.map((stretch) => {
            const [from, to] = [Date.parse(stretch.from), Date.parse(stretch.to)];
            const margin = Math.max(to - from, 300_000) / 4;
            const show = () => showInterval({ from: from - margin, to: to + margin });
            return [
              stretch.from,
              <button key="times" type="button" className="link" onClick={show}>
                {rangeText(from, to, 'minute')}
              </button>,
              levelText(stretch.leq_db, scale),
              percentText(stretch.energy_percent),
              bandText(stretch.band_hz),
            ];
          })}
        />
      )}
    </Panel>
  );
}
