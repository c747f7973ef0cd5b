import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createRun, memoryDatabase, messageOf, NOW, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const RAW = ['-', '--rate', '8000', '--format', 's16le'];

function tone(frames: number): Buffer {
  return encode('s16', [sine(1000, 0.5)], 8000, frames);
}

describe('Sound on standard input', () => {
  it('is stored while it comes, from the time at which it began', async () => {
    const stdin = new PassThrough();
    const run = createRun({ stdin });
    const done = record(RAW, run.io);
    stdin.write(tone(900));
    await expect.poll(() => run.db.rows, { timeout: 1000 }).toEqual([`${NOW},-9.03,1000,false`]);
    stdin.write(tone(1600));
    await expect.poll(() => run.db.rows.length, { timeout: 1000 }).toBe(3);
    stdin.end();
    await done;
    expect(run.db.closed).toBe(true);
    expect(run.lines).toEqual([
      'Stored 3 points, 2026-05-05T12:00:00.000000Z to 2026-05-05T12:00:00.200000Z.',
    ]);
  });

  it.each(['u8', 's16', 's24', 's32', 'f32', 'f64'] as const)('is read as %s', async (encoding) => {
    const format = encoding === 'u8' ? 'u8' : `${encoding}le`;
    const sound = encode(encoding, [sine(1000, 0.5), sine(1000, 0.5)], 8000, 800);
    for (const [name, bytes] of [
      [format, sound],
      [format.replace('le', 'be'), reversed(sound, format)],
    ] as const) {
      const run = createRun({ stdin: bytes });
      await record(['-', '--rate', '8000', '--format', name, '--channels', '2'], run.io);
      expect(run.db.rows).toEqual([expect.stringMatching(/,-9\.0\d,1000,false$/)]);
    }
  });

  it('may end in the middle of a frame', async () => {
    const run = createRun({ stdin: Buffer.concat([tone(800), Buffer.from([1])]) });
    await record([...RAW, '--start', '2026-01-01T00:00:00Z'], run.io);
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-9.03,1000,false']);
  });

  it('is stored up to where it was interrupted', async () => {
    const stdin = new PassThrough();
    const run = createRun({ stdin });
    const done = record(RAW, run.io);
    stdin.write(tone(2 * 800 + 500));
    await expect.poll(() => run.db.rows.length).toBeGreaterThan(0);
    run.abort.abort();
    await done;
    expect(run.db.rows).toHaveLength(3); // the last is more than half there
    expect(run.lines.at(-1)).toContain('Stored 3 points');
  });

  it('that never comes stores nothing when interrupted', async () => {
    const run = createRun({ stdin: new PassThrough() });
    setTimeout(() => run.abort.abort(), 20);
    await record(RAW, run.io);
    expect(run.lines).toEqual([]);
  });

  it('waits for a database that comes later', async () => {
    let attempts = 0;
    const db = memoryDatabase(() => {
      attempts += 1;
      if (attempts < 2) throw new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached');
    });
    const run = createRun({ stdin: tone(8000), db });
    await record(RAW, run.io);
    expect(db.rows).toHaveLength(10);
    expect(run.lines).toEqual([
      expect.stringMatching(/^Warning: The database cannot be reached\. Trying again; points wait in \//),
      'The database is back; the points that waited are stored.',
      expect.stringContaining('Stored 10 points'),
    ]);
  });

  it('fails with what the database refuses for good', async () => {
    const db = memoryDatabase(() => {
      throw new Error('permission denied');
    });
    const run = createRun({ stdin: tone(8000), db });
    expect(await messageOf(record(RAW, run.io))).toBe('permission denied');
    expect(run.db.closed).toBe(true);
  });

  it('must be WAV unless its kind is given, and may not be WAV when it is', async () => {
    expect(await messageOf(record(['-'], createRun({ stdin: tone(800) }).io))).toBe(
      'Standard input is not WAV; raw sound needs --rate and --format',
    );
    expect(await messageOf(record(RAW, createRun({ stdin: wav(tone(800)) }).io))).toBe(
      'Standard input is WAV, which says its rate itself: leave out --rate and --format',
    );
  });

  it('that ends before its header says so is stored as far as it came, and told', async () => {
    const run = createRun({ stdin: wav(tone(1600)).subarray(0, 44 + 1600) });
    expect(await messageOf(record(['-'], run.io))).toBe(
      'Standard input is truncated: the header promises 3200 bytes of sound, 1600 came',
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
