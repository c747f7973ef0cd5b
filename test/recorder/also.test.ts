// Several levels of one sound: each station gets what a recorder with only its weightings would store.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createRun, file, memoryDatabase, messageOf, record, recorded } from './run.ts';
import { encode, noise, sine, wav } from './sound.ts';

const RAW = ['-', '--rate', '8000', '--format', 's16le', '--weighting', 'A'];
const beats = (t: number) => sine(1000, 0.4)(t) * (t % 1 < 0.2 ? 1 : 0.1);
const SOUND = encode('s16', [beats], 8000, 24_000);

/** A recorder of the station garden, and the points stored for other stations. */
function two(given: Parameters<typeof createRun>[0] = {}, station = 'garden') {
  const [run, other, third] = [createRun(given), ...[1, 2].map(() => createRun({ db: memoryDatabase() }))];
  if (!other || !third) throw new TypeError('There are three runs');
  const made: unknown[] = [];
  const at = (...args: [name: string, creates: boolean, like?: string]) => {
    made.push(args);
    const [name] = args;
    return { ...(/(^|_)c$/.test(name) ? third : other).io, station: name };
  };
  return { run, other, third, made, io: { ...run.io, station, at } };
}

describe('--also', () => {
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

  it.each([
    [[], [['garden_c', true, 'garden']]],
    [
      ['--also', 'fast'],
      [
        ['garden_fast', true, 'garden'],
        ['garden_c', true, 'garden'],
      ],
    ],
  ])('stores LCeq in a third station, beside %j', async (more, stations) => {
    for (const source of ['stream', 'file']) {
      const { io, run, other, third, made } = two({ stdin: SOUND });
      const args = source === 'stream' ? RAW : [file(wav(SOUND)), '--weighting', 'A'];
      const start = [...args, '--start', '2026-01-01T00:00:00Z'];
      await record([...start, ...more, '--also', 'C'], io);
      expect(made).toEqual(stations);
      const alone = async (...levels: string[]) =>
        (
          await recorded([...start.filter((each) => each !== '--weighting' && each !== 'A'), ...levels], {
            stdin: SOUND,
          })
        ).db.rows;
      expect(run.db.rows).toEqual(await alone('--weighting', 'A'));
      expect(third.db.rows).toEqual(await alone('--weighting', 'C'));
      expect(third.db.rows).not.toEqual(run.db.rows);
      expect(other.db.rows).toEqual(
        more.length === 0 ? [] : await alone('--weighting', 'A', '--time-weighting', 'fast'),
      );
    }
  });

  it('dates both by one clock while the sound arrives', async () => {
    const stdin = new PassThrough();
    const { io, run, other } = two({ stdin });
    const done = record([...RAW, '--also', 'fast'], { ...io, clock: Date.now });
    const piece = encode('s16', [noise(0.1)], 8000, 160);
    const timer = setInterval(() => stdin.write(piece), 20);
    await expect.poll(() => other.db.rows.length).toBeGreaterThan(8);
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
    for (const [args, repeated] of [
      [['--also', 'fast', '--time-weighting', 'fast'], 'fast'],
      [['--also', 'fast', '--also', 'fast'], 'fast'],
      [['--also', 'fast', '--also', 'C', '--also', 'C'], 'C'],
    ] as const)
      expect(await refused([...args])).toBe(`--also: ${repeated} would be the same as another level`);
    const inC = RAW.map((each) => (each === 'A' ? 'C' : each));
    expect(await messageOf(record([...inC, '--also', 'C'], two().io))).toMatch(/^--also: C would be/);
    expect(await refused(['--also', 'slow'])).toContain("'slow' is invalid. It must be fast or C.");
    expect(await refused(['--also', 'fast'], 'a'.repeat(36))).toBe(
      `--also: its station would be ${'a'.repeat(36)}_fast, which is longer than 40 characters: choose a shorter --station`,
    );
  });
});
