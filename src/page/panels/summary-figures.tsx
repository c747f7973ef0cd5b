// The figures of stats.summary for the interval on screen.
import type { Outputs } from '../../client/index.ts';
import { countText, hertzText, leqText, levelText, NOTHING, percentText } from '../locale-format.ts';
import type { Scale } from '../state/scale.ts';
import type { SecondLevel } from '../state/second-level.ts';
import { texts } from '../texts/texts.ts';
import { Meaning } from './meaning.tsx';

const { figures: words } = texts;

type Summary = Outputs['stats']['summary'];

/** The levels among the figures, with their names, meanings and units. */
export function levelFigures(summary: Summary | undefined, scale: Scale, second?: SecondLevel) {
  const { unit } = scale;
  const level = (db: number | null | undefined) => levelText(db, scale);
  return [
    ['Leq', summary ? leqText(summary, scale) : NOTHING, 'leq', unit],
    ['L10', level(summary?.l10_db), 'l10', unit],
    ['L50', level(summary?.l50_db), 'l50', unit],
    ['L90', level(summary?.l90_db), 'l90', unit],
    [scale.maximum, level(summary?.max_db), 'max', unit],
    ...(second
      ? [[second.name, levelText(second.max_db, second.scale), 'max', second.scale.unit] as const]
      : []),
  ] as const;
}

interface Props {
  readonly summary: Summary | undefined;
  readonly scale: Scale;
  /** The second level of the same microphone. */
  readonly second: SecondLevel | undefined;
}

export function SummaryFigures({ summary, scale, second }: Props) {
  const tiles = [
    ...levelFigures(summary, scale, second).map(
      ([name, value, meaning, unit]) => [name, value, unit, meaning] as const,
    ),
    [words.silence, percentText(summary?.silence_percent), '', 'silence'] as const,
    [words.dominant, hertzText(summary?.dominant_frequency_hz), '', 'dominant'] as const,
    [words.points, summary ? countText(summary.point_count) : '', '', 'points'] as const,
  ];
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
