// Shared by the tests that kill recorders: keeps a copy of all that they write, and compares the stored points.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { type Running, start, temporaryFolder } from '../process.ts';
import { plug, RATE_HZ } from './bad-microphone.ts';

export const RECORD = ['record', '-', '--rate', String(RATE_HZ), '--format', 's16le'];
const WITNESS = new URL('witness.mjs', import.meta.url).href;
/** All recorders have the same settings, so one period covers all points. */
export const PERIODS = `select weighting, interval_ms, (select min(time) >= since from audio_data) as has_all from audio_data_periods`;
export const ONE_PERIOD = [{ weighting: 'Z', interval_ms: 100, has_all: true }];
export const ALL = `select to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time, rms_db from audio_data`;

/** The shortest window: the last one of a stopped recorder. */
const SHORTEST_MS = 50;

export interface Stored {
  time: string;
  rms_db: number;
}

/** Plays sound to a recorder, without stalls. */
export function play(recorder: Running): void {
  const { unplug } = plug(recorder, 0, () => 1);
  onTestFinished(unplug);
}

/** Keeps everything that processes write to their spools, even if they are killed. */
export function createWitness() {
  const folder = temporaryFolder();
  return {
    start: (args: string[], environment: Record<string, string>): Running =>
      start(args, { ...environment, WITNESS: folder, NODE_OPTIONS: `--import ${WITNESS}` }),
    /** How many segments they wrote. */
    count: () => readdirSync(folder).length,
    /** The times of points: `certain` maps each to when it was surely written, `perhaps` has the others. */
    written() {
      const certain = new Map<string, number>();
      const perhaps = new Set<string>();
      for (const name of readdirSync(folder)) {
        const isCertain = !name.startsWith('maybe-');
        const writtenAt = Number(name.replace('maybe-', '').slice(0, 16)) / 1000;
        for (const row of readFileSync(`${folder}/${name}`, 'utf8').split('\n').slice(0, -1)) {
          if (row.startsWith('#')) continue; // a line on how the points were recorded
          const time = row.slice(0, row.indexOf(','));
          if (isCertain) certain.set(time, writtenAt);
          else perhaps.add(time);
        }
      }
      return { certain, perhaps };
    },
  };
}

export type Witness = ReturnType<typeof createWitness>;

/** Compares the stored points with the written points, and with the clock. */
export function judge(stored: readonly Stored[], witness: Witness) {
  const { certain, perhaps } = witness.written();
  const times = stored.map(({ time }) => time);
  const there = new Set(times);
  const missing = [...certain.keys()].filter((time) => !there.has(time));
  const ahead = [...certain].filter(([time, writtenAt]) => Date.parse(time) + SHORTEST_MS > writtenAt);
  expect(missing).toEqual([]);
  expect(times.length).toBe(there.size);
  expect(times.filter((time) => !certain.has(time) && !perhaps.has(time))).toEqual([]);
  expect(ahead).toEqual([]);
  return `${stored.length} points, ${certain.size} written for certain, ${perhaps.size} perhaps`;
}
