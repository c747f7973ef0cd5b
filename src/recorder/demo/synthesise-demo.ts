// Synthesises a made-up day, always the same: a quiet night, talk by day, loud moments, lulls and a clock.
import { addClock, addEvent, addHush, addRoom, addTalk, isHush } from './demo-sounds.ts';

export const SYNTHESIS_RATE_HZ = 8000;

/** How lively each hour of the day is, 0 to 1, on this machine's clock. */
const LIVELINESS = [
  0.04, 0.02, 0.01, 0, 0, 0.05, 0.2, 0.45, 0.5, 0.7, 0.75, 0.6, 0.8, 0.65, 0.7, 0.75, 0.6, 0.65, 0.8, 0.7,
  0.5, 0.35, 0.2, 0.1,
];

/**
 * The sound of the `durationMs` after `epochMs` (since 1970, fractions allowed), -1..1 at SYNTHESIS_RATE_HZ.
 * The same time gives the same sound. Windows can have any length and come in any order.
 */
export function synthesise(epochMs: number, durationMs: number): Float32Array {
  const samples = new Float32Array(Math.round((durationMs * SYNTHESIS_RATE_HZ) / 1000));
  const seconds = epochMs / 1000;
  const liveliness = livelinessAt(epochMs);
  if (isHush(seconds, liveliness)) {
    addHush(samples, seconds, SYNTHESIS_RATE_HZ);
  } else {
    addRoom(samples, seconds, SYNTHESIS_RATE_HZ, liveliness);
    addTalk(samples, seconds, SYNTHESIS_RATE_HZ, liveliness);
  }
  addClock(samples, seconds, SYNTHESIS_RATE_HZ);
  addEvent(samples, seconds, SYNTHESIS_RATE_HZ, liveliness);
  return samples.map((sample) => Math.max(-1, Math.min(1, sample)));
}

/** Interpolates the table above linearly, from the middle of one hour to the middle of the next. */
function livelinessAt(epochMs: number): number {
  const local = epochMs / 1000 - 60 * new Date(epochMs).getTimezoneOffset();
  const hour = (((local / 3600 - 0.5) % 24) + 24) % 24;
  const before = LIVELINESS[Math.floor(hour)] ?? 0;
  const after = LIVELINESS[(Math.floor(hour) + 1) % 24] ?? 0;
  return before + (after - before) * (hour % 1);
}
