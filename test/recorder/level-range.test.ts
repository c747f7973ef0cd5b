// Levels with a reference: stored levels of synthesised sound, compared with the arithmetic.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../process.ts';
import { file, recorded, refusedRecord } from './run.ts';
import { encode, noise, sine, type Wave, wav } from './sound.ts';

const RATE_HZ = 48_000;
/** Full scale is 120.11 dB. */
const CALIBRATION = 120.11;

function recording(waves: Wave, seconds: number, rateHz = RATE_HZ): string {
  return file(wav(encode('f32', [waves], rateHz, Math.round(seconds * rateHz)), { rateHz, encoding: 'f32' }));
}

async function stored(path: string, ...args: string[]) {
  const run = await recorded([path, '--start', '2026-01-01T00:00:00Z', ...args]);
  return run.db.rows.map((row) => {
    const [, level, hz, isSilent] = row.split(',');
    return { level: Number(level), hz: hz === '' ? null : Number(hz), isSilent: isSilent === 'true' };
  });
}

const range = (referenceDb: number) => [
  '--reference-db',
  String(referenceDb),
  '--calibration',
  String(CALIBRATION),
];
/** A sine of a given sound pressure level. */
const tone = (db: number, hz = 1000) => sine(hz, Math.SQRT2 * 10 ** ((db - CALIBRATION) / 20));
/** One second of each level in turn. */
const steps = (levels: readonly number[]): Wave => {
  const tones = levels.map((level) => tone(level));
  return (t) => tones[Math.floor(t)]?.(t) ?? 0;
};

describe('With a reference', () => {
  it('warns if the sound is louder than the reference', async () => {
    const said = async (db: number) => {
      const run = await recorded([recording(tone(db), 1), '--start', '2026-01-01T00:00:00Z', ...range(85)]);
      return run.lines;
    };
    expect(await said(84.9)).toEqual([expect.stringMatching(/^Stored 10 points/)]);
    expect(await said(86)).toEqual([
      'Warning: the sound is louder than the reference. Its level is stored as 85 dB, although it is higher. Choose a higher --reference-db.',
      expect.stringMatching(/^Stored 10 points/),
    ]);
  });

  it('warns if sound clips below the reference', async () => {
    const said = async (reference: number) => {
      const options = ['--reference-db', String(reference), '--calibration', '100'];
      return (await recorded([recording(() => 0, 1), '--start', '2026-01-01T00:00:00Z', ...options])).lines;
    };
    expect(await said(97)).toEqual([expect.stringMatching(/^Stored 10 points/)]);
    expect(await said(97.1)).toEqual([
      'Warning: with this gain, sound clips at about 97.0 dB, below the reference of 97.1 dB, so over_range stays 0. Choose a --reference-db of 97 or less, or lower the gain and calibrate again.',
      expect.stringMatching(/^Stored 10 points/),
    ]);
  });

  it.each([85, 95, 120])(
    'of %i dB, a stored level is the sound pressure level minus the reference',
    async (reference) => {
      const levels = [30, 34.9, 35.2, 45, 50.4, 61.25, 70, 84.9, 90, 94, 100, 110];
      const points = await stored(
        recording(steps(levels), levels.length),
        '--interval',
        '1s',
        ...range(reference),
      );
      for (const [index, level] of levels.entries()) {
        const expected = Math.min(0, Math.max(-50, level - reference));
        const { level: found = Number.NaN, hz, isSilent } = points[index] ?? {};
        expect(Math.abs(found - expected), `${level} dB`).toBeLessThanOrEqual(0.011);
        expect([isSilent, hz], `${level} dB`).toEqual(expected < -45 ? [true, null] : [false, 1000]);
      }
    },
  );

  it('of 85 dB, a quiet street is exact; at 120 dB the floor adds the documented error, and without a reference all is at the floor', async () => {
    // an L90 of 40 dB, and cars of up to 68 dB
    const levels = Array.from(
      { length: 60 },
      (_, s) => 40 + 28 * Math.max(0, Math.sin((2 * Math.PI * s) / 20)) ** 4,
    );
    const path = recording(steps(levels), levels.length, 8000);
    const leq = (all: readonly number[]) =>
      10 * Math.log10(all.reduce((sum, db) => sum + 10 ** (db / 10), 0) / all.length);
    const of = async (...args: string[]) =>
      (await stored(path, '--interval', '1s', ...args)).map(({ level }) => level);
    const street = (await of(...range(85))).map((level) => level + 85);
    expect(Math.abs(leq(street) - leq(levels))).toBeLessThan(0.01);
    for (const [index, level] of levels.entries())
      expect(Math.abs((street[index] ?? 0) - level)).toBeLessThan(0.011);
    expect(new Set(await of())).toEqual(new Set([-50]));
    const concert = (await of(...range(120))).map((level) => level + 120);
    const clamped = levels.map((level) => Math.max(70, level));
    expect(Math.abs(leq(concert) - leq(clamped))).toBeLessThan(0.01); // all of it is at the floor, 70 dB
    expect(leq(concert) - leq(levels)).toBeCloseTo(12.7, 1); // docs/explanation/levels.md
    const road = (await of(...range(100))).map((level) => level + 100);
    const bias = leq(road) - leq(levels);
    const most = -10 * Math.log10(1 - 10 ** ((50 - leq(road)) / 10)); // everything at the floor might be silence
    expect(bias).toBeGreaterThan(0);
    expect(bias).toBeLessThan(most);
  });

  it('the weighted level is shifted like the others, and silence follows the unweighted level', async () => {
    const [point] = await stored(
      recording(tone(60, 125), 1),
      '--interval',
      '1s',
      '--weighting',
      'A',
      ...range(85),
    );
    expect(Math.abs((point?.level ?? 0) - (60 - 16.1 - 85))).toBeLessThan(0.2);
    expect(point?.isSilent).toBe(false);
    const silent = [...range(85), '--silence-db', '-20'];
    expect((await stored(recording(tone(60), 1), '--interval', '1s', ...silent))[0]?.isSilent).toBe(true);
    expect((await stored(recording(tone(66), 1), '--interval', '1s', ...silent))[0]?.isSilent).toBe(false);
  });

  it('a DC offset is reported with its level on that scale', async () => {
    const hum: Wave = (t) => 1e-3 + noise(1e-5)(t); // -60 dB relative to full scale, 60 dB
    for (const [args, isReported] of [
      [[], false],
      [range(85), true],
    ] as const) {
      const run = await recorded([recording(hum, 2, 8000), '--start', '2026-01-01T00:00:00Z', ...args]);
      expect(run.lines.some((line) => line.includes('DC offset'))).toBe(isReported);
    }
  });

  it('the calibration is the newest saved one, unless it is given; without one there is an error', async () => {
    const calibrationFile = join(temporaryFolder(), 'calibration.json');
    const path = recording(tone(60), 1);
    const args = [path, '--start', '2026-01-01T00:00:00Z', '--interval', '1s', '--reference-db', '85'];
    expect(await refusedRecord(args, { calibrationFile })).toBe(
      `--reference-db needs a calibration: give --calibration, or run \`npm run record -- calibrate\`, which writes ${calibrationFile}`,
    );
    const kept = (offset_db: number) => ({
      time: '2026-01-01T00:00:00.000000Z',
      level_db: 94,
      frequency_hz: 1000,
      offset_db,
      channel: 'mean',
    });
    writeFileSync(calibrationFile, JSON.stringify([kept(110), kept(CALIBRATION)]));
    const run = await recorded(args, { calibrationFile });
    expect(run.lines[0]).toBe('Using the calibration of 2026-01-01T00:00:00.000000Z: 120.11 dB.');
    const given = await recorded([...args, '--calibration', '130.11'], { calibrationFile });
    const levels = [run, given].map(({ db }) => Number(db.rows[0]?.split(',')[1]));
    expect(levels).toEqual([-25, -15]);
    writeFileSync(calibrationFile, '[{]');
    expect(await refusedRecord(args, { calibrationFile })).toBe(
      `${calibrationFile} is not a list of calibrations: repair it, or remove it and calibrate again`,
    );
  });
});
