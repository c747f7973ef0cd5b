// Explains missing figures: there is no Leq of maxima, and no absolute level without a calibration.
import { windowText } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { serviceUrl } from '../state/service-url.ts';
import { periodIn, type Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';

/** The levels are maxima of windows, so their energy mean is not that of the sound. */
export function NoEnergy({ scale, interval }: { scale: Scale; interval: TimeSpan }) {
  if (scale.hasEnergy) return null;
  const { interval_ms = null } = periodIn(interval) ?? {};
  return <p className="hint">{texts.noEnergy(interval_ms === null ? '' : windowText(interval_ms))}</p>;
}

/** Explains levels without a reference, and how to calibrate. */
export function HowToCalibrate() {
  return (
    <p className="hint">
      {texts.calibrate.text} <code>npm run record -- calibrate FILE.wav --level 94</code>.{' '}
      <a href={`${serviceUrl()}/manual/how-to/calibrate.html`}>{texts.calibrate.more}</a>
    </p>
  );
}
