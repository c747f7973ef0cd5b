// The loudest five events of the interval, each one click from the chart.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import type { NoiseEvent } from '../charts/level-chart-data.ts';
import { lengthText, levelText, timeText } from '../locale-format.ts';

const SHOWN = 5;

interface LoudestProps {
  /** Undefined until it is known; its place is kept. */
  readonly top: Outputs['events']['top'] | undefined;
  readonly scale: Scale;
  readonly onChoose: (event: NoiseEvent) => void;
}

export function Loudest({ top, scale, onChoose }: LoudestProps) {
  return (
    <ol className="loudest" aria-label="The loudest events">
      {top?.events.slice(0, SHOWN).map((event) => (
        <li key={event.start}>
          <button type="button" onClick={() => onChoose(event)}>
            <strong>{levelText(event.peak_db, scale)}</strong> {timeText(event.peak_at)}
            <small className="soft"> {lengthText(event.duration_seconds)}</small>
          </button>
        </li>
      ))}
    </ol>
  );
}
