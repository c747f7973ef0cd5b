// The calibration: sines of known level, and everything that is not a calibrator.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../process.ts';
import { calibrated, offsetOf, RATE, recording, type Sound, sum, tone } from './calibrator.ts';
import { createRun, file, messageOf, NOW, record, recorded, refusedRecord } from './run.ts';
import { encode, noise, sine, type Wave, wav } from './sound.ts';

/** The reason why a recording is refused. */
async function refusal(wave: Wave, sound?: Sound): Promise<string> {
  const path = recording(wave, sound);
  const run = createRun();
  const message = await messageOf(record(['calibrate', path, '--level', '94'], run.io));
  expect(run.printed).toEqual([]);
  return message.replace(`${path} is not a recording of a calibrator: `, '');
}

/** Plays each wave up to its time, one after another. */
function parts(...given: readonly [until: number, wave: Wave][]): Wave {
  return (t) => given.find(([until]) => t < until)?.[1](t) ?? 0;
}

describe('A recording of a calibrator', () => {
  it('prints what to do, and no result, if the result cannot be saved', async () => {
    const run = createRun({ calibrationFile: '/proc/none/calibration.json' });
    expect(await messageOf(record(['calibrate', recording(tone(-20)), '--level', '94'], run.io))).toBe(
      '/proc/none/calibration.json cannot be written: set DATA_DIR to a writable folder',
    );
    expect(run.printed).toEqual([]);
  });

  // the RMS of a sine is its amplitude over √2: 0.5 is -9.0309 dB, and 94 + 9.0309 = 103.0309
  it.each([
    [0.5, '94', '103.03'],
    [0.5, '114', '123.03'],
    [0.05, '94', '123.03'],
    [0.05, '93.97', '123.00'],
    [0.1, '94', '117.01'],
    [0.98, '114', '117.19'],
  ])('of amplitude %d at %s dB gives %s in each encoding', async (a, level, offset) => {
    for (const encoding of ['s16', 's24', 'f32'] as const)
      expect(await offsetOf(recording(sine(1000, a), { encoding }), level), encoding).toEqual([
        `CALIBRATION_OFFSET_DB=${offset}`,
      ]);
  });

  it.each([
    [8000, 980],
    [11_025, 1003.7],
    [48_000, 1020],
  ])('is measured at %i samples a second, at %d Hz', async (rateHz, hz) => {
    expect(await offsetOf(recording(sine(hz, 0.1, 1), { rateHz, seconds: 2 }))).toEqual([
      'CALIBRATION_OFFSET_DB=117.01',
    ]);
  });

  it('prints the tone, its position in the recording, and the file', async () => {
    const { lines, io } = await calibrated(
      recording(parts([1.05, noise(0.001)], [6.05, tone(-26)], [7, noise(0.001)]), { seconds: 7 }),
    );
    expect(lines).toEqual([
      'Found a tone of 1000 Hz at -26.00 dB relative to full scale, from 1.2 s to 5.9 s.',
      'Full scale (0 dB) is a sound pressure level of 120.00 dB.',
      `Saved in ${io.calibrationFile}. A recorder with --reference-db uses it from its next start. For points without a reference, set:`,
    ]);
    expect(JSON.parse(readFileSync(io.calibrationFile, 'utf8'))).toEqual([
      { time: NOW, level_db: 94, frequency_hz: 1000, offset_db: 120, channel: 'mean' },
    ]);
  });

  it('gives the offset from the stored level of its tone to the level of the calibrator', async () => {
    const path = recording(tone(-26.04), { seconds: 4 });
    const [line = ''] = await offsetOf(path);
    const run = await recorded([path, '--start', '2026-01-01T00:00:00Z']);
    const stored = run.db.rows.map((row) => Number(row.split(',')[1]));
    for (const db of stored) expect(db + Number(line.split('=')[1])).toBeCloseTo(94, 1.5);
  });

  it.each([1000, 250])(
    'at %i Hz is measured within 0.01 dB, whatever else sounds beside its tone',
    async (hz) => {
      const wave = sum(tone(-26, hz * 1.0187), noise(10 ** (-46 / 20), 5));
      const [line = ''] = await offsetOf(recording(wave, { encoding: 'f32' }));
      expect(Math.abs(Number(line.split('=')[1]) - 120)).toBeLessThan(0.0101);
    },
  );

  it('is compared with the last one of the same channel, because ISO 1996-2 limits the change to 0.5 dB', async () => {
    const calibrationFile = join(temporaryFolder(), 'new', 'calibration.json');
    const said = async (db: number, ...args: string[]) => {
      const run = await recorded(['calibrate', recording(tone(db)), '--level', '94', ...args], {
        calibrationFile,
      });
      return run.lines.slice(3);
    };
    const earlier = (db: string, how: string) => `The previous calibration, of ${NOW}, was ${db} dB: ${how}.`;
    const warning =
      'Warning: the two differ by more than 0.5 dB. Discard the measurements between them (ISO 1996-2).';
    expect(await said(-26)).toEqual([]);
    expect(await said(-26)).toEqual([earlier('120.00', 'the same')]);
    expect(await said(-26.5)).toEqual([earlier('120.00', 'the new one is 0.50 dB higher')]);
    expect(await said(-25.99)).toEqual([earlier('120.50', 'the new one is 0.51 dB lower'), warning]);
    expect(await said(-20, '--channel', 'max')).toEqual([]);
    expect(await said(-26.6)).toEqual([earlier('119.99', 'the new one is 0.61 dB higher'), warning]);
    const kept: { offset_db: number; channel: string }[] = JSON.parse(readFileSync(calibrationFile, 'utf8'));
    expect(kept.map(({ offset_db, channel }) => [offset_db, channel])).toEqual([
      [120, 'mean'],
      [120, 'mean'],
      [120.5, 'mean'],
      [119.99, 'mean'],
      [114, 'max'],
      [120.6, 'mean'],
    ]);
    expect(readdirSync(dirname(calibrationFile))).toEqual(['calibration.json']);
  });

  it.each<[string, Wave]>([
    ['thumps', parts([1.5, noise(0.5, 7)], [7, tone(-26)], [8, noise(0.3, 3)])],
    ['silence', parts([1.5, () => 0], [7, tone(-26)], [8, () => 0])],
    ['longer, steady noise of the room', parts([4.5, noise(0.004)], [7, tone(-26)], [12, noise(0.004)])],
    [
      'a tone that swells',
      parts([1, (t) => t * tone(-26)(t)], [7, tone(-26)], [8, (t) => (8 - t) * tone(-26)(t)]),
    ],
    ['a break', parts([2, tone(-26.1)], [2.5, noise(0.2)], [7, tone(-26)])],
  ])('is measured apart from %s around it', async (_what, wave) => {
    expect(await offsetOf(recording(wave, { seconds: 12 }))).toEqual(['CALIBRATION_OFFSET_DB=120.00']);
  });

  it.each([
    ['mean', '123.01'],
    ['max', '120.00'],
    ['2', '120.00'],
  ])('of two channels is measured like points, with --channel %s', async (channel, offset) => {
    const path = recording(tone(-26), { waves: [() => 0, tone(-26)] });
    expect(await offsetOf(path, '94', '--channel', channel)).toEqual([`CALIBRATION_OFFSET_DB=${offset}`]);
    if (channel === 'mean') expect(await offsetOf(path)).toEqual([`CALIBRATION_OFFSET_DB=${offset}`]);
  });
});

describe('A file that is not a recording of a calibrator is refused with the reason', () => {
  const SILENT = 'it is silent: nothing is above -50 dB';
  const CLIPPED = 'it is clipped: samples reach full scale. Record it with less gain';
  const FLOOR = 'its tone has -50.50 dB, but points cannot go below -50 dB: record it with more gain';
  const long = { seconds: 10 };
  const drift: Wave = (t) => 10 ** (t / 200) * tone(-26)(t);
  const swing: Wave = (t) => (1 + 0.1 * Math.sin(2 * Math.PI * 0.5 * t)) * tone(-26)(t);
  const square: Wave = (t) => 0.1 * Math.sign(Math.sin(2 * Math.PI * 1000 * t + 0.1));
  const frequency = (hz: number) =>
    `its dominant frequency is ${hz} Hz, but must be 250 or 1000 Hz within 2 %`;
  const varies = (how: string) => `the level of its tone varies: ${how}`;
  const impure = (percent: number) =>
    `only ${percent} % of its energy is in the tone, but 95 % are needed: the rest is noise, other tones, distortion or a DC offset`;

  it.each<[reason: string, Wave, Sound?]>([
    ['it lasts 1.9 s, but at least 2 s are needed', tone(-26), { seconds: 1.95 }],
    ['its tone of 1000 Hz lasts 1.5 s, but at least 2 s are needed', parts([1.5, tone(-26)], [3, () => 0])],
    [SILENT, () => 0],
    [SILENT, noise(0.001), { rateHz: 48_000 }],
    [FLOOR, tone(-50.5), { encoding: 's24' }],
    [frequency(300), tone(-26, 300)],
    [frequency(244), tone(-26, 244)],
    [frequency(979), tone(-26, 979)],
    [frequency(1021), tone(-26, 1021)],
    [
      'it has no dominant frequency; needed: 250 or 1000 Hz within 2 %',
      tone(-26, 10_000),
      { encoding: 'f32', rateHz: 48_000 },
    ],
    [varies('-25.74 dB for 5.1 s, and -25.24 dB for 4.9 s'), drift, long],
    [varies('it stays within 0.5 dB for at most 0.8 s, but 2 s are needed'), swing, long],
    [varies('-6.00 dB for 6.0 s, and -26.00 dB for 4.0 s'), parts([6, tone(-6)], [10, tone(-26)]), long],
    [CLIPPED, sine(1000)],
    [CLIPPED, sine(1000, 1.5)],
    [impure(71), sum(tone(-26), noise(10 ** (-30 / 20)))],
    [impure(90), sum(tone(-26), () => 10 ** (-36 / 20))],
    [impure(82), square],
    ['2000 samples per second cannot hold a tone of 1 kHz', tone(-26, 500), { rateHz: 2000 }],
  ])('%s', async (reason, wave, sound) => {
    expect(await refusal(wave, sound)).toBe(reason);
  });

  it('noise', async () => {
    expect(await refusal(noise(0.1))).toMatch(/\d+ Hz.* 250 or 1000 Hz/);
  });

  it('a missing channel', async () => {
    const refused = calibrated(recording(tone(-26)), '94', '--channel', '2');
    expect(await messageOf(refused)).toMatch(/--channel.*"2".*1, mean or max/);
  });

  it('a file that is not WAV, or truncated', async () => {
    const whole = wav(encode('s16', [tone(-26)], RATE, 3 * RATE), { rateHz: RATE });
    const run = createRun();
    for (const bytes of [Buffer.from('time,rms_db'), whole.subarray(0, -100)]) {
      const path = file(bytes);
      const message = await messageOf(record(['calibrate', path, '--level', '94'], run.io));
      expect(message).toMatch(bytes.length > 20 ? `${path} is truncated` : `${path} is not a WAV file`);
    }
  });
});

describe('record calibrate', () => {
  it.each<[args: string[], ...facts: string[]]>([
    [['a.wav'], '--level <DB>', 'the sound pressure level'],
    [['--level', '94'], 'FILE', 'a WAV file'],
    [['a.wav', 'b.wav', '--level', '94'], '1 argument', 'a.wav, b.wav'],
    [['a.wav', '--level', '94', '--level', '94'], '--level', 'once'],
    [['a.wav', '--level', '94', '--start', 'now'], '--start', '--level, --channel, --help'],
    ...['49.9', '150.1', '9.4e1', '-94', 'loud', ''].map((level): [string[], ...string[]] => [
      ['a.wav', '--level', level],
      ...['--level', `'${level}'`, '50 to 150'],
    ]),
  ])('%j is refused', async (args, ...facts) => {
    const message = await refusedRecord(['calibrate', ...args]);
    for (const fact of facts) expect(message).toContain(fact);
  });
});
