// The figures of stats.summary for the interval on screen.
import type { Outputs } from '../../client/index.ts';
import {
  countText,
  hertzText,
  leqText,
  levelText,
  NOTHING,
  percentText,
  type Scale,
} from '../locale-format.ts';
import { Meaning } from './meaning.tsx';

export function SummaryFigures({
  summary,
  scale,
}: {
  summary: Outputs['stats']['summary'] | undefined;
  scale: Scale;
}) {
  const level = (db: number | null | undefined) => levelText(db, scale);
  const tiles = [
    ['Leq', summary ? leqText(summary, scale) : NOTHING, scale.unit, 'leq'],
    ['L10', level(summary?.l10_db), scale.unit, 'l10'],
    ['L50', level(summary?.l50_db), scale.unit, 'l50'],
    ['L90', level(summary?.l90_db), scale.unit, 'l90'],
    ['Maximum', level(summary?.max_db), scale.unit, 'max'],
    ['Silence', percentText(summary?.silence_percent), '', 'silence'],
    ['Dominant', hertzText(summary?.dominant_frequency_hz), '', 'dominant'],
    ['Points', summary ? countText(summary.point_count) : '', '', 'points'],
  ] as const;
  return (
    <dl className="tiles">
      {tiles.map(([name, value, unit, meaning]) => (
        <div key={name}>
          <dt>
            {name} <Meaning of={meaning} />
          </dt>
          <dd>
            {value} {unit && <small>{unit}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
