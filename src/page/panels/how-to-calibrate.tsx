// Explains levels without a reference, and how to calibrate.

import { serviceUrl } from '../state/service-url.ts';
import { texts } from '../texts/texts.ts';

export function HowToCalibrate() {
  return (
    <p className="hint">
      {texts.calibrate.text} <code>npm run record -- calibrate FILE.wav --level 94</code>.{' '}
      <a href={`${serviceUrl()}/manual/how-to/calibrate.html`}>{texts.calibrate.more}</a>
    </p>
  );
}
