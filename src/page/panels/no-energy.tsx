// Explains why there is no Leq. The levels are maxima of windows, so their energy mean is not that of the sound.
import { windowText } from '../locale-format.ts';
import type { Scale } from '../state/scale.ts';
import { periodIn } from '../state/site.ts';
import type { TimeSpan } from '../state/time-span.ts';
import { texts } from '../texts/texts.ts';

export function NoEnergy({ scale, interval }: { scale: Scale; interval: TimeSpan }) {
  if (scale.hasEnergy) return null;
  const { interval_ms = null } = periodIn(interval) ?? {};
  return <p className="hint">{texts.noEnergy(interval_ms === null ? '' : windowText(interval_ms))}</p>;
}
