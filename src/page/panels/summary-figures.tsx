// The figures of stats.summary for the interval on screen.
import type { Outputs } from '../../client/index.ts';
import { countText, hertzText, levelText, percentText, type Scale } from '../locale-format.ts';

export function SummaryFigures({
  summary,
  scale,
}: {
  summary: Outputs['stats']['summary'] | undefined;
  scale: Scale;
}) {
  const level = (db: number | null | undefined) => levelText(db, scale);
  const tiles = [
    ['Leq', level(summary?.leq_db), scale.unit, 'Equivalent continuous level: the energy mean'],
    ['L10', level(summary?.l10_db), scale.unit, 'Exceeded 10 % of the time: the loud moments'],
    ['L50', level(summary?.l50_db), scale.unit, 'Exceeded half of the time: the median'],
    ['L90', level(summary?.l90_db), scale.unit, 'Exceeded 90 % of the time: the background'],
    ['Maximum', level(summary?.max_db), scale.unit, 'Highest level of a point'],
    ['Silence', percentText(summary?.silence_percent), '', 'Share of the points that are silent'],
    ['Dominant', hertzText(summary?.dominant_frequency_hz), '', 'Most frequent dominant frequency'],
    ['Points', summary ? countText(summary.point_count) : '', '', 'Points in the interval'],
  ] as const;
  return (
    <dl className="tiles">
      {tiles.map(([name, value, unit, meaning]) => (
        <div key={name} title={meaning}>
          <dt>{name}</dt>
          <dd>
            {value} {unit && <small>{unit}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
