// A microphone that stalls, loses sound, and drifts. Its level identifies the second in which the sound was made.
import type { Running } from '../process.ts';

export const RATE_HZ = 8000;
/** The levels repeat after this many seconds. */
const LEVELS = 80;
const STEP_DB = 0.5;

/** The level in dB at a time in milliseconds since 1970. */
export const levelAt = (ms: number): number => -STEP_DB * (1 + (Math.floor(ms / 1000) % LEVELS));

/** A square wave, whose level is its amplitude. */
function soundOf(from: number, count: number, rate: number): Buffer {
  const sound = Buffer.alloc(2 * count);
  for (let n = 0; n < count; n++) {
    const amplitude = 32_767 * 10 ** (levelAt(from + (n * 1000) / rate) / 20);
    sound.writeInt16LE(Math.round(Math.floor(n / 4) % 2 ? amplitude : -amplitude), 2 * n);
  }
  return sound;
}

export interface BadMicrophone {
  /** How often sound was lost. */
  losses(): number;
  unplug(): void;
}

/** Plugs a microphone into a recorder: its sound starts now. */
export function plug(recorder: Running, ppm: number, random = Math.random): BadMicrophone {
  const rate = RATE_HZ * (1 + ppm / 1e6);
  const begun = Date.now();
  let taken = 0;
  let losses = 0;
  let stall: { until: number; isLoss: boolean } | undefined;
  const timer = setInterval(() => {
    const now = Date.now();
    if (stall && now < stall.until) return;
    const due = Math.floor(((now - begun) * rate) / 1000);
    if (stall?.isLoss) {
      taken = due - Math.round(0.02 * rate);
      losses += 1;
    }
    stall = undefined;
    if (random() < 0.004) stall = { until: now + 300 + 2500 * random(), isLoss: random() < 0.5 };
    if (due <= taken) return;
    recorder.feed(soundOf(begun + (taken * 1000) / rate, due - taken, rate));
    taken = due;
  }, 20);
  return { losses: () => losses, unplug: () => clearInterval(timer) };
}
