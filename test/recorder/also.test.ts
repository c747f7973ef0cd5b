// Two levels of one sound: the second station gets what a recorder with only its time weighting would store.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createRun, file, memoryDatabase, messageOf, record, recorded } from './run.ts';
import { encode, noise, sine, wav } from './sound.ts';

const RAW = ['-', '--rate', '8000', '--format', 's16le', '--weighting', 'A'];
const beats = (t: number) => sine(1000, 0.4)(t) * (t % 1 < 0.2 ? 1 : 0.1);
const SOUND = encode('s16', [beats], 8000, 24_000);

/** A recorder of the station garden, and the points stored for the other station. */
function two(given: Parameters<typeof createRun>[0] = {}, station = 'garden') {
  const [run, other] = [createRun(given), createRun({ db: memoryDatabase() })];
  const made: unknown[] = [];
  const at = (...args: [name: string, creates: boolean, like?: string]) => {
    made.push(args);
    const [name] = args;
    return { ...other.io, station: name };
  };
  return { run, other, made, io: { ...run.io, station, at } };
}

describe('--also fast', () => {
  it('stores the maxima of a recording in a second station', async () => {
    const path = file(wav(SOUND));
    const start = ['--start', '2026-01-01T00:00:00Z', '--weighting', 'A'];
    const { io, run, other, made } = two();
    await record([path, ...start, '--also', 'fast'], io);
    expect(made).toEqual([['garden_fast', true, 'garden']]);
    expect(run.db.rows).toEqual((await recorded([path, ...start])).db.rows);
    expect(other.db.rows).toEqual((await recorded([path, ...start, '--time-weighting', 'fast'])).db.rows);
    expect(other.db.rows).not.toEqual(run.db.rows);
  });

  it.each([[[]], [['--start', '2026-01-01T00:00:00Z']]])(
    'stores the maxima of a stream, %j',
    async (more) => {
      const { io, run, other, made } = two({ stdin: SOUND }, 'default');
      await record([...RAW, ...more, '--also', 'fast'], io);
      expect(made).toEqual([['fast', true, 'default']]);
      expect(run.db.rows).toEqual((await recorded([...RAW, ...more], { stdin: SOUND })).db.rows);
      const fast = [...RAW, ...more, '--time-weighting', 'fast'];
      expect(other.db.rows).toEqual((await recorded(fast, { stdin: SOUND })).db.rows);
    },
  );

  it('dates both by one clock while the sound arrives', async () => {
    const stdin = new PassThrough();
    const { io, run, other } = two({ stdin });
    const done = record([...RAW, '--also', 'fast'], { ...io, clock: Date.now });
    const piece = encode('s16', [noise(0.1)], 8000, 160);
    const timer = setInterval(() => stdin.write(piece), 20);
    await expect.poll(() => other.db.rows.length, { timeout: 10_000 }).toBeGreaterThan(8);
    clearInterval(timer);
    stdin.end();
    await done;
    const times = (rows: readonly string[]) => rows.map((row) => row.slice(0, 27));
    expect(times(other.db.rows)).toEqual(times(run.db.rows));
  });

  it('is refused before anything is opened if it makes no second level', async () => {
    const refused = async (args: string[], station?: string) => {
      const { io, run, other, made } = two({ stdin: SOUND }, station);
      const message = await messageOf(record([...RAW, ...args], io));
      expect([run.db.rows, other.db.rows, made]).toEqual([[], [], []]);
      return message;
    };
    expect(await refused(['--also', 'fast', '--time-weighting', 'fast'])).toBe(
      '--also: not allowed with --time-weighting fast: both levels would be the same',
    );
    expect(await refused(['--also', 'slow'])).toContain("'slow' is invalid. Allowed choices are fast.");
    expect(await refused(['--also', 'fast'], 'a'.repeat(36))).toBe(
      `--also: the second level's station would be ${'a'.repeat(36)}_fast, which is longer than 40 characters: choose a shorter --station`,
    );
  });
});
