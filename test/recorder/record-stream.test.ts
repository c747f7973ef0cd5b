import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { AppError } from '../../src/errors.ts';
import { createRun, memoryDatabase, messageOf, NOW, record, recorded } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const RAW = ['-', '--rate', '8000', '--format', 's16le'];

function tone(frames: number): Buffer {
  return encode('s16', [sine(1000, 0.5)], 8000, frames);
}

/** A run on this machine's clock. Write its sound to `stdin`. */
function live() {
  const stdin = new PassThrough();
  const run = createRun({ stdin });
  return { ...run, stdin, io: { ...run.io, clock: Date.now } };
}

/** A microphone: a tenth of a second of sound every tenth of a second. */
function play(stdin: PassThrough) {
  const begun = performance.now();
  let played = 0;
  const timer = setInterval(() => {
    for (; played < Math.floor((performance.now() - begun) / 100); played++) stdin.write(tone(800));
  }, 20);
  return { stop: () => clearInterval(timer), played: () => played };
}

describe('Sound on standard input', () => {
  it('is stored while it arrives, and dated by the clock', async () => {
    const run = live();
    const begun = Date.now();
    const done = record(RAW, run.io);
    const microphone = play(run.stdin);
    await expect.poll(() => run.db.rows.length).toBeGreaterThan(4);
    microphone.stop();
    run.stdin.end();
    await done;
    const ended = Date.now();
    expect(run.db.closed).toBe(true);
    const times = run.db.rows.map((row) => Date.parse(row.slice(0, 27)));
    expect(times[0]).toBeGreaterThanOrEqual(begun - 100);
    expect(times.at(-1)).toBeLessThanOrEqual(ended - 100);
    for (const [i, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[i] ?? 0);
    expect(run.lines).toEqual([expect.stringMatching(`^Stored ${times.length} points, `)]);
    expect(run.statuses).toEqual([undefined]); // none before five seconds
  });

  it('that arrives all at once ends now, unless its start is given', async () => {
    const run = await recorded(RAW, { stdin: tone(8000) });
    expect(run.db.rows.map((row) => row.slice(0, 27))).toEqual(
      Array.from({ length: 10 }, (_, n) => instantOf(Date.parse(NOW) - 1000 + 100 * n)),
    );
    const dated = await recorded([...RAW, '--start', 'now'], { stdin: tone(1600) });
    expect(dated.db.rows).toEqual([
      `${NOW},-9.03,1000,false`,
      '2026-11-20T12:00:00.100000Z,-9.03,1000,false',
    ]);
  });

  it.each(['u8', 's16', 's24', 's32', 'f32', 'f64'] as const)('is read as %s', async (encoding) => {
    const format = encoding === 'u8' ? 'u8' : `${encoding}le`;
    const sound = encode(encoding, [sine(1000, 0.5), sine(1000, 0.5)], 8000, 800);
    for (const [name, bytes] of [
      [format, sound],
      [format.replace('le', 'be'), reversed(sound, format)],
    ] as const) {
      const run = await recorded(['-', '--rate', '8000', '--format', name, '--channels', '2'], {
        stdin: bytes,
      });
      expect(run.db.rows).toEqual([expect.stringMatching(/,-9\.0\d,1000,false$/)]);
    }
  });

  it('that is clipped is stored with a warning', async () => {
    const loud = (t: number) => (t < 0.1 ? 1 : 0.1);
    const run = await recorded([...RAW, '--start', 'now'], { stdin: encode('s16', [loud], 8000, 16_000) });
    expect(run.lines).toEqual([
      expect.stringMatching(/^Warning: the sound is clipped: /),
      expect.stringMatching(/^Stored 20 points, /),
      'Clipped in 1 of 20 windows.',
    ]);
  });

  it('is stored up to a sample that is not a number', async () => {
    const sound = encode('f32', [sine(1000, 0.5)], 8000, 4000);
    sound.writeFloatLE(Number.NaN, 4 * 3000);
    const stdin = Readable.from([sound.subarray(0, 8000), sound.subarray(8000)]);
    const run = createRun({ stdin });
    const error = messageOf(record(['-', '--rate', '8000', '--format', 'f32le'], run.io));
    expect(await error).toContain('3000');
    expect(run.db.rows).toHaveLength(3); // the 2000 samples of the piece before it fill two windows and a half
    expect(run.lines.at(-1)).toContain('Stored 3 points');
  });

  it('may end in the middle of a frame', async () => {
    const run = await recorded([...RAW, '--start', '2026-01-01T00:00:00Z'], {
      stdin: Buffer.concat([tone(800), Buffer.from([1])]),
    });
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-9.03,1000,false']);
  });

  it('is stored up to the interruption', async () => {
    const run = live();
    const done = record(RAW, run.io);
    const microphone = play(run.stdin);
    await expect.poll(() => run.db.rows.length).toBeGreaterThan(0);
    microphone.stop();
    await setImmediate();
    run.abort.abort();
    await done;
    expect(run.db.rows).toHaveLength(microphone.played());
    expect(run.lines.at(-1)).toContain(`Stored ${microphone.played()} points`);
  });

  it('that never arrives stores nothing when interrupted', async () => {
    const run = createRun({ stdin: new PassThrough() });
    const done = record(RAW, run.io);
    await setImmediate();
    run.abort.abort();
    await done;
    expect(run.lines).toEqual([]);
  });

  it('waits for a database that starts later', async () => {
    let attempts = 0;
    const db = memoryDatabase(() => {
      attempts += 1;
      if (attempts < 2) throw new AppError('SERVICE_UNAVAILABLE', 'As the owner, run: grant x to y;');
    });
    const run = await recorded(RAW, { stdin: tone(8000), db });
    expect(db.rows).toHaveLength(10);
    expect(run.lines[0]).toMatch(/^Warning: .* run: grant x to y\. Points wait in \//);
    // the recorder and the store report independently
    expect(run.lines.slice(1).toSorted()).toEqual([
      expect.stringContaining('Stored 10 points'),
      'The database stores points again. All waiting points are stored.',
    ]);
  });

  it('fails if the database refuses it for good', async () => {
    const db = memoryDatabase(() => {
      throw new Error('permission denied');
    });
    const run = createRun({ stdin: tone(8000), db });
    expect(await messageOf(record(RAW, run.io))).toBe('permission denied');
    expect(run.db.closed).toBe(true);
  });

  it('must be WAV unless its format is given, and must not be WAV otherwise', async () => {
    expect(await messageOf(record(['-'], createRun({ stdin: tone(800) }).io))).toBe(
      'Standard input is not WAV; raw sound needs --rate and --format',
    );
    expect(await messageOf(record(RAW, createRun({ stdin: wav(tone(800)) }).io))).toBe(
      'Standard input is WAV, which has the rate in its header: leave out --rate and --format',
    );
  });

  it('that is shorter than its header promises is stored up to its end, and reported', async () => {
    const run = createRun({ stdin: wav(tone(1600)).subarray(0, 44 + 1600) });
    expect(await messageOf(record(['-'], run.io))).toBe(
      'Standard input is truncated: the header promises 3200 bytes of sound, but 1600 arrived',
    );
    expect(run.db.rows).toHaveLength(1);
  });
});

function reversed(bytes: Buffer, format: string): Buffer {
  const size = format === 'u8' ? 1 : Number(format.slice(1, 3)) / 8;
  const result = Buffer.from(bytes);
  for (let at = 0; at < result.length; at += size) result.subarray(at, at + size).reverse();
  return result;
}
