// Fits a sine to sound, to find a tone's energy, or its frequency if it has few periods or is close to half the rate.

const STEPS = 24;

/**
 * The frequency near `start`, in periods per sample, at which a sine plus a constant best fits the window.
 * At each frequency, linear least squares fits the sine's two parts and the constant. A golden-section search
 * finds the best frequency.
 */
export function fitTone(window: Float32Array, start: number): number {
  const reach = 1 / window.length;
  let low = Math.max(0.4 * reach, start - reach);
  let high = Math.min(0.5 - 0.4 * reach, start + reach);
  const golden = (Math.sqrt(5) - 1) / 2;
  let a = high - golden * (high - low);
  let b = low + golden * (high - low);
  let [explainedA, explainedB] = [toneEnergy(window, a), toneEnergy(window, b)];
  for (let i = 0; i < STEPS; i++) {
    if (explainedA > explainedB) {
      [high, b, explainedB] = [b, a, explainedA];
      a = high - golden * (high - low);
      explainedA = toneEnergy(window, a);
    } else {
      [low, a, explainedA] = [a, b, explainedB];
      b = low + golden * (high - low);
      explainedB = toneEnergy(window, b);
    }
  }
  return (low + high) / 2;
}

/**
 * The most energy that a sine near `frequency` explains, by a parabola through three frequencies.
 *
 * @param frequency in periods per sample
 * @param reach how far the sine may be from `frequency`, also in periods per sample
 */
export function toneEnergyNear(window: Float32Array, frequency: number, reach: number): number {
  const [below, at, above] = [
    toneEnergy(window, frequency - reach),
    toneEnergy(window, frequency),
    toneEnergy(window, frequency + reach),
  ];
  const bend = below - 2 * at + above;
  const steps = bend < 0 ? Math.min(1, Math.max(-1, (below - above) / (2 * bend))) : 0;
  return toneEnergy(window, frequency + steps * reach);
}

/** The energy about the window's mean that the best sine of this frequency (periods per sample) explains; 0 if none. */
function toneEnergy(window: Float32Array, frequency: number): number {
  const n = window.length;
  let [c, s, cc, ss, cs, x, xc, xs] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const phase = 2 * Math.PI * frequency * (i - (n - 1) / 2);
    const [cos, sin, sample] = [Math.cos(phase), Math.sin(phase), window[i] ?? 0];
    c += cos;
    s += sin;
    cc += cos * cos;
    ss += sin * sin;
    cs += cos * sin;
    x += sample;
    xc += sample * cos;
    xs += sample * sin;
  }
  // Removing the constant from cosine, sine and samples leaves two equations.
  const [vcc, vss, vcs] = [cc - (c * c) / n, ss - (s * s) / n, cs - (c * s) / n];
  const [vxc, vxs] = [xc - (x * c) / n, xs - (x * s) / n];
  const determinant = vcc * vss - vcs * vcs;
  if (!(determinant > 1e-9 * n * n)) return 0;
  return (vxc * vxc * vss - 2 * vxc * vxs * vcs + vxs * vxs * vcc) / determinant;
}
