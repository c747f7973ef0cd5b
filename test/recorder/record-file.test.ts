import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../process.ts';
import { createRun, file, messageOf, record, recorded, refusedRecord } from './run.ts';
import { chunk, ENCODINGS, encode, sine, type WavOptions, wav } from './sound.ts';

const START = ['--start', '2026-01-01T01:00:00+01:00'];

/** Two tenths of a second of a full-scale 1 kHz sine. */
function tone(options: WavOptions = {}): Buffer {
  const { rateHz = 8000, channels = 1, encoding = 's16' } = options;
  const waves = Array.from({ length: channels }, () => sine(1000));
  return wav(encode(encoding, waves, rateHz, rateHz / 5), { ...options, rateHz, channels, encoding });
}

const TONE_ROWS = [
  '2026-01-01T00:00:00.000000Z,-3.01,1000,false',
  '2026-01-01T00:00:00.100000Z,-3.01,1000,false',
];

async function rowsOf(bytes: Buffer, ...args: string[]): Promise<string[]> {
  const run = await recorded([file(bytes), ...START, ...args]);
  expect(run.db.closed).toBe(true);
  return run.db.rows;
}

/** The reason why a recording is refused; nothing of it is stored. */
async function refusal(bytes: Buffer, start = START): Promise<string> {
  const run = createRun();
  const path = file(bytes);
  const message = await messageOf(record([path, ...start], run.io));
  expect(run.db.rows).toEqual([]);
  return message.replaceAll(path, 'FILE');
}

describe('A WAV file', () => {
  it.each(ENCODINGS)('of %s samples is measured', async (encoding) => {
    for (const extensible of [false, true])
      for (const rateHz of [8000, 44_100, 192_000]) {
        const rows = await rowsOf(tone({ encoding, extensible, rateHz, channels: 3 }));
        const levels = rows.map((row) => Number(row.split(',')[1]));
        expect(Math.max(...levels.map((db) => Math.abs(db + 3.01)))).toBeLessThan(0.05);
        expect(rows.map((row) => row.replace(/,-[\d.]+,/, ',-3.01,'))).toEqual(TONE_ROWS);
      }
  });

  it('has the mean of the energies of its channels, so that antiphase is not silence', async () => {
    const antiphase = wav(encode('s16', [sine(500, 0.8), sine(500, -0.8)], 8000, 800), { channels: 2 });
    expect(await rowsOf(antiphase)).toEqual(['2026-01-01T00:00:00.000000Z,-4.95,500,false']);
  });

  it.each([
    ['mean', '-11.76,500,false'],
    ['max', '-7.96,500,false'],
    ['1', '-47.04,,true'],
    ['2', '-7.96,500,false'],
    ['3', '-13.98,1000,false'],
  ])('of three channels is measured with --channel %s', async (channel, row) => {
    const waves = [sine(2000, 0.0063), sine(500, 0.5656), sine(1000, 0.2828)];
    const sound = wav(encode('s16', waves, 8000, 800), { channels: 3 });
    expect(await rowsOf(sound, '--channel', channel)).toEqual([`2026-01-01T00:00:00.000000Z,${row}`]);
  });

  it('that lacks a channel is refused, with the channels it has', async () => {
    const stereo = file(tone({ channels: 2 }));
    expect(await refusedRecord([stereo, ...START, '--channel', '3'])).toBe(
      '--channel: "3" is not allowed; the sound has 2 channels, so it must be 1 to 2, mean or max',
    );
  });

  it.each<[string, WavOptions]>([
    [
      'before and after its sound',
      { before: [chunk('bext', Buffer.alloc(603))], after: [chunk('LIST', Buffer.alloc(9))] },
    ],
    ['that are odd', { between: [chunk('LIST', Buffer.alloc(7)), chunk('fact', Buffer.alloc(4))] }],
    [
      'that are odd and lack their padding',
      { between: [chunk('note', Buffer.from('abc'), { padded: false })] },
    ],
    ['that are large', { between: [chunk('junk', Buffer.alloc(3_000_000))] }],
  ])('is read past chunks %s', async (_which, options) => {
    expect(await rowsOf(tone(options))).toEqual(TONE_ROWS);
  });

  it.each(['RF64', 'BW64'] as const)(
    'of more than 4 GiB (%s) has its size in a separate chunk',
    async (magic) => {
      const huge = (size: bigint): WavOptions => {
        const long = Buffer.alloc(28);
        long.writeBigUInt64LE(size, 8);
        return { magic, before: [chunk('ds64', long)], says: { data: 0xffffffff } };
      };
      const after = [chunk('LIST', Buffer.alloc(4000))];
      expect(await rowsOf(tone({ ...huge(3200n), after }))).toEqual(TONE_ROWS);
      expect(await refusal(tone(huge(6_000_000_000n)))).toContain(
        'is truncated: the header promises 6000000000 bytes of sound, but the file holds 3200',
      );
    },
  );

  it.each([0, 0xffffffff, 0x7ffff000, 0x80000000, 0x7fff0000, 0xffffff9b, 0xffffffdb])(
    'whose writer left %i as the size of its sound is read to the end',
    async (data) => {
      const run = createRun();
      const path = file(tone({ says: { data } }));
      await record([path, ...START], run.io);
      expect(run.db.rows).toEqual(TONE_ROWS);
      expect(run.lines).toEqual([
        `The header of ${path} has no length: reading to the end of the file.`,
        'Stored 2 points, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:00.100000Z.',
      ]);
    },
  );

  it.each<[string, WavOptions, string]>([
    ['less than it holds', { says: { data: 1600 } }, '--whole'],
    ['less than it holds, with a second data chunk', { after: [chunk('data', Buffer.alloc(64))] }, ''],
    ['more than it holds', { says: { data: 6400 } }, '--partial'],
  ])('whose header says %s is refused unless an option allows that', async (_what, options, flag) => {
    const path = file(tone(options));
    expect(await refusedRecord([path, ...START])).toMatch(
      /the file holds 3200: --partial|(1600|72) bytes follow that are not chunks.*--whole .*--partial/,
    );
    if (flag === '') return;
    const run = await recorded([path, ...START, flag]);
    expect(run.db.rows).toEqual(TONE_ROWS);
    expect(run.lines[0]).toMatch(/^Warning: .* bytes/);
    const partial = await recorded([path, ...START, '--partial']);
    expect(partial.db.rows).toEqual(TONE_ROWS.slice(0, flag === '--whole' ? 1 : 2));
    await recorded(['-', ...START, flag], { stdin: tone(options) });
    expect(await messageOf(record(['-', ...START], createRun({ stdin: tone(options) }).io))).toMatch(
      /bytes follow that are not chunks|promises 6400 bytes of sound, but 3200 arrived/,
    );
  });

  it('may hold 24 bits in four bytes, as arecord writes S24_LE, but nothing else in the fourth', async () => {
    for (const upper of [(i: number) => i, () => 0]) {
      const sound = encode('s32', [sine(1000)], 8000, 1600);
      for (let at = 0; at < sound.length; at += 4) {
        const value = sound.readInt32LE(at) >> 8;
        sound.writeInt32LE(value, at);
        if (upper(1) === 0) sound[at + 3] = 0;
      }
      const says = { bits: 24 };
      expect(await rowsOf(wav(sound, { encoding: 's32', says }))).toEqual(TONE_ROWS);
      const raw = ['-', ...START, '--rate', '8000', '--format'];
      expect((await recorded([...raw, 'S24_LE'], { stdin: sound })).db.rows).toEqual(TONE_ROWS);
      const swapped = Buffer.from(sound).swap32();
      expect((await recorded([...raw, 's24_32be'], { stdin: swapped })).db.rows).toEqual(TONE_ROWS);
    }
    const full = wav(encode('s32', [sine(1000)], 8000, 1600), { encoding: 's32', says: { bits: 24 } });
    expect(await refusal(full)).toMatch(/^frame 1 of the sound holds a value that is not 24 bits in four/);
  });

  it('with digital silence in a channel gives a warning, with the channel to take instead', async () => {
    const sides = [sine(1000), () => 0, () => 0];
    const stereo = wav(encode('s16', sides, 8000, 8000), { channels: 3 });
    const run = await recorded([file(stereo), ...START]);
    expect(run.lines.at(-1)).toBe(
      'Warning: digital silence in channel 2 and 3 lowers the level by 4.77 dB. Measure another channel with --channel 1.',
    );
    for (const channel of ['1', 'max'])
      expect((await recorded([file(stereo), ...START, '--channel', channel])).lines).toHaveLength(1);
  });

  it('may arrive through a named pipe', async () => {
    const pipe = join(temporaryFolder(), 'sound.wav');
    execFileSync('mkfifo', [pipe]);
    const run = createRun();
    const [written] = await Promise.all([writeFile(pipe, tone()), record([pipe, ...START], run.io)]);
    expect([written, run.db.rows]).toEqual([undefined, TONE_ROWS]);
  });

  it('is weighted on request, with a notice of the bands that its rate does not cover', async () => {
    const run = createRun();
    const hum = wav(encode('s16', [sine(200)], 8000, 1600));
    await record([file(hum), ...START, '--weighting', 'A', '--time-weighting', 'slow'], run.io);
    expect(run.db.rows).toEqual([
      expect.stringMatching(/^2026-01-01T00:00:00\.000000Z,-13\.\d+,200,false$/),
      expect.stringMatching(/^2026-01-01T00:00:00\.100000Z,-13\.\d+,200,false$/),
    ]);
    expect(run.lines[0]).toBe(
      'At 8000 samples per second, A-weighting does not cover the third octaves from 4000 Hz up. Record at 44100 Hz or up to cover all.',
    );
    expect(await rowsOf(wav(encode('s16', [sine(200)], 8000, 800)), '--weighting', 'Z')).toEqual([
      '2026-01-01T00:00:00.000000Z,-3.01,200,false',
    ]);
  });

  it('that is clipped is stored, with a warning', async () => {
    const run = createRun();
    const loud = (t: number) => (t < 0.1 ? Math.max(-1, Math.min(1, sine(500, 2)(t))) : sine(500, 0.5)(t));
    await record([file(wav(encode('s16', [loud], 8000, 2400))), ...START], run.io);
    expect(run.lines).toEqual([
      expect.stringMatching(/^Warning: the sound is clipped: /),
      expect.stringMatching(/^Stored 3 points, /),
      'Clipped in 1 of 3 windows.',
    ]);
  });

  it('without any sound stores nothing, and reports that', async () => {
    const run = await recorded([
      file(wav(Buffer.alloc(0), { after: [chunk('LIST', Buffer.alloc(40))] })),
      ...START,
    ]);
    expect(run.lines).toEqual([
      'Stored 0 points.',
      'No points: the recording is shorter than half an interval. Choose a shorter --interval.',
    ]);
  });

  const saying = (says: WavOptions['says'] = {}, options: WavOptions = {}) => tone({ says, ...options });
  const cut = (end: number) => tone().subarray(0, end);
  const withoutFormat = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), chunk('data', Buffer.alloc(99))]);
  const truncated = (bytes: number) =>
    `is truncated: the header promises 3200 bytes of sound, but the file holds ${bytes}`;
  const unmeasured = (what: string) => `holds ${what}, which are not supported`;
  it.each<[string, Buffer, string]>([
    ['empty', Buffer.alloc(0), 'is not a WAV file'],
    ['something else', Buffer.from('time,rms_db,frequency_hz,is_silence\n'), 'is not a WAV file'],
    ['AIFF', Buffer.from('FORM\0\0\0\0AIFFCOMM'), 'is not a WAV file'],
    ['cut off in its header', cut(30), 'is truncated: it ends inside its "fmt " chunk'],
    ['cut off before its sound', cut(40), 'is truncated: it ends before the sound begins'],
    ['cut off in its sound', cut(3000), truncated(2956)],
    ['cut off by one byte', cut(-1), truncated(3199)],
    ['without a fmt chunk', withoutFormat, 'holds sound, but no fmt chunk before it to describe the format'],
    ['without channels', saying({ channels: 0 }), 'has 0 channels in its header'],
    [
      'without a rate',
      saying({ rateHz: 0 }),
      'has 0 samples per second in its header; 1 to 1000000 are possible',
    ],
    ['of 7-byte samples', saying({ bits: 56 }), unmeasured('PCM samples of 56 bits')],
    ['of 16-bit floats', saying({ codec: 3 }), unmeasured('float samples of 16 bits')],
  ])('that is %s is refused by name, and stores nothing', async (_what, bytes, message) => {
    expect(await refusal(bytes)).toContain(`FILE ${message}`);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('with a sample that is %d stores nothing', async (bad) => {
    const sound = encode('f32', [(t) => (t === 0.15 ? bad : 0.5)], 8000, 1600);
    expect(await refusal(wav(sound, { encoding: 'f32' }))).toBe(
      'frame 1200 of the sound holds a value that is not a finite number',
    );
  });

  it('that does not exist, or a folder without any, is refused with the reason', async () => {
    const { io } = createRun();
    expect(await messageOf(record(['/nowhere.wav', ...START], io))).toBe(
      'Cannot open /nowhere.wav: there is no such file',
    );
    const folder = temporaryFolder();
    expect(await messageOf(record([folder, ...START], io))).toBe(
      '--start: not allowed with a folder: each recording has its own start',
    );
    expect(await messageOf(record([folder, '--zone', 'UTC'], io))).toBe(
      `The folder ${folder} has no recording, such as a .wav or .flac file`,
    );
  });

  it('that is interrupted stores nothing', async () => {
    const run = createRun();
    run.abort.abort();
    expect(await messageOf(record([file(tone()), ...START], run.io))).toBe(
      'Interrupted: nothing more was stored',
    );
    expect(run.db.rows).toEqual([]);
  });

  it('that reaches past the year 9999 stores nothing', async () => {
    const start = ['--start', '9999-12-31T23:59:59.95Z'];
    expect(await refusal(tone(), start)).toContain('would reach beyond the year 9999');
  });

  it('on standard input is recognised by its header', async () => {
    for (const says of [{}, { data: 0xffffffff }]) {
      const run = await recorded(['-', ...START], {
        stdin: Readable.from([tone({ says }).subarray(0, 5), tone({ says }).subarray(5)]),
      });
      expect(run.db.rows).toEqual(TONE_ROWS);
    }
  });
});
