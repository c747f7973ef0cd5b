// What levels without a reference mean, and how to give them one.

export function HowToCalibrate() {
  return (
    <p className="hint">
      dB relative to full scale: levels compare with themselves only, and with no limit. To calibrate, hold a
      calibrator to the microphone, record it, and run{' '}
      <code>npm run record -- calibrate FILE.wav --level 94</code>.{' '}
      <a href="manual/how-to/calibrate.html">More</a>
    </p>
  );
}
