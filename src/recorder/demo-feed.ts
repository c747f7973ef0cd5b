// Feeds the demo: first the points of the past day, then ten points a second in real time.
import { setTimeout as delay, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { addSeconds, instantOf } from '../contract/instant.ts';
import { csvRow } from '../contract/point.ts';
import type { Database } from '../db/database.ts';
import { createWindowMeter, type WindowMeter } from './meter.ts';
import { createPointWriter } from './point-writer.ts';
import { createTicker, percent } from './progress.ts';
import { SYNTHESIS_RATE_HZ, synthesise } from './synthesise.ts';

const DAY_SECONDS = 86_400;
/** Only the first 64 ms of each past second are measured: a whole day of sound would take a minute. */
const GLIMPSE_MS = 64;
const LIVE_INTERVAL_MS = 100;
const STORE_EVERY_MS = 500;
/** After a longer pause (a laptop that slept) the live recorder continues from now. */
const LONGEST_GAP_MS = 60_000;
const SILENCE_DB = -45;
const PIECE_POINTS = 500;

/**
 * Stores one point for each of the last 86,400 seconds, unless the table already holds points.
 *
 * @param now canonical; the last point is at this time, rounded down to the second
 * @returns how many points were stored: 86,400 or 0
 */
export async function fillDay(
  db: Database,
  now: string,
  progress: (line: string) => void = () => {},
): Promise<number> {
  const [found] = await db.query({ text: 'select 1 as one from audio_data limit 1', parameters: [] });
  return found ? 0 : db.copyIn(pastDay(now, progress));
}

async function* pastDay(now: string, progress: (line: string) => void): AsyncGenerator<string> {
  const measure = demoMeter();
  const tick = createTicker(progress);
  const nowSecond = `${now.slice(0, 20)}000000Z`;
  for (let done = 0; done < DAY_SECONDS; ) {
    let piece = '';
    for (const end = Math.min(done + PIECE_POINTS, DAY_SECONDS); done < end; done++) {
      const time = addSeconds(nowSecond, done + 1 - DAY_SECONDS);
      if (time) piece += `${csvRow({ time, ...measure(synthesise(epochMsOf(time), GLIMPSE_MS)) })}\n`;
    }
    yield piece;
    tick(() => `Making a day of sound: ${percent(done, DAY_SECONDS)}`);
    await turnOfTheLoop(); // lets signal handlers run
  }
}

/**
 * Measures ten points a second in real time and stores them twice a second, until the signal aborts. A write
 * that fails is logged; the recorder continues.
 */
export async function startLiveRecorder(
  db: Database,
  now: () => string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  const measure = demoMeter();
  const openWriter = () => createPointWriter({ store: (csv) => db.copyIn(csv), report: log, patienceMs: 0 });
  let writer = openWriter();
  let next = Math.ceil(epochMsOf(now()) / LIVE_INTERVAL_MS) * LIVE_INTERVAL_MS;
  const pause = () => delay(STORE_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});

  for (await pause(); !signal.aborted; await pause()) {
    const nowMs = epochMsOf(now());
    if (nowMs - next > LONGEST_GAP_MS) next = Math.floor(nowMs / LIVE_INTERVAL_MS) * LIVE_INTERVAL_MS;
    const points = [];
    for (; next + LIVE_INTERVAL_MS <= nowMs; next += LIVE_INTERVAL_MS)
      points.push({ time: instantOf(next), ...measure(synthesise(next, LIVE_INTERVAL_MS)) });
    try {
      await writer.add(points);
    } catch (error) {
      log(`Warning: points of the live recorder were not stored: ${messageOf(error)}`);
      writer = openWriter();
    }
  }
  await writer.close().catch((error) => log(`Warning: the last points were not stored: ${messageOf(error)}`));
}

function demoMeter(): WindowMeter {
  return createWindowMeter({ rateHz: SYNTHESIS_RATE_HZ, silenceDb: SILENCE_DB });
}

function epochMsOf(instant: string): number {
  return Date.parse(`${instant.slice(0, 23)}Z`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
