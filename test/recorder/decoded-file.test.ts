// Recordings in formats other than WAV, and folders of recordings.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeOnWire, openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { temporaryFolder } from '../process.ts';
import { findProgram } from '../program.ts';
import { createRun, file, messageOf, record, recorded, refusedRecord } from './run.ts';
import { chunk, encode, sine, wav } from './sound.ts';

const hasFfmpeg = findProgram('ffmpeg');

/** Two tones, left and right. */
const tones = (samples: number) =>
  wav(encode('s16', [sine(1000, 0.5), sine(500, 0.1)], 16_000, samples), { channels: 2, rateHz: 16_000 });
const stereo = tones(16_000);

/** The stereo recording in another format. */
function encoded(extension: string, ...args: string[]): string {
  const path = join(temporaryFolder(), `sound.${extension}`);
  execFileSync('ffmpeg', ['-v', 'error', '-i', file(stereo, 'in.wav'), ...args, path]);
  return path;
}

const START = '2026-01-01T00:00:00.000000Z';
const levelsOf = (rows: readonly string[]) => rows.map((row) => Number(row.split(',')[1]));

describe('A recording in a format other than WAV', needs('ffmpeg', hasFfmpeg), () => {
  it.each([
    ['flac', [], 0],
    ['ogg', [], 0.2],
    ['mp3', ['-b:a', '128k'], 0.5],
    ['mkv', ['-c:a', 'flac'], 0],
  ] as const)('in %s is measured as it sounds', async (extension, args, withinDb) => {
    const expected = await recorded([file(stereo), '--start', START, '--channel', '1']);
    const run = await recorded([encoded(extension, ...args), '--start', START, '--channel', '1']);
    const [levels, right] = [levelsOf(run.db.rows), levelsOf(expected.db.rows)];
    expect(right).toHaveLength(10);
    for (const index of [2, 5, 7])
      expect(Math.abs((levels[index] ?? 0) - (right[index] ?? 0))).toBeLessThanOrEqual(withinDb);
    if (withinDb === 0) expect(run.db.rows).toEqual(expected.db.rows);
  });

  it('has its start in a tag', async () => {
    const path = encoded('flac', '-metadata', 'DATE=2026-06-21T22:15:00');
    const run = await recorded([path, '--zone', 'Europe/Vienna']);
    expect(run.db.rows[0]).toMatch(/^2026-06-21T20:15:00\.000000Z,/);
  });

  it.each(['flac', 'mp3'])('that is cut off is refused: %s', async (extension) => {
    const whole = readFileSync(encoded(extension));
    const path = file(whole.subarray(0, whole.length / 2), `half.${extension}`);
    expect(await refusedRecord([path, '--start', START])).toMatch(
      /half\.\w+ is truncated or damaged: 0\.\d s of its 1\S* s cannot be decoded$/,
    );
  });

  it('without a length, such as some MP3, is measured to its end', async () => {
    const run = await recorded([encoded('mp3', '-write_xing', '0'), '--start', START]);
    expect([10, 11]).toContain(run.db.rows.length); // the encoder may add padding
  });

  it.each(['pcm_alaw', 'pcm_mulaw', 'adpcm_ima_wav'])(
    'or a WAV file of %s is decoded, with a notice',
    async (codec) => {
      const run = await recorded([encoded('wav', '-c:a', codec), '--start', START, '--channel', '1']);
      expect(run.lines).toContainEqual(
        expect.stringMatching(
          /sound.wav holds (A-law|mu-law|IMA ADPCM) sound, which needs ffmpeg to decode\.$/,
        ),
      );
      expect(levelsOf(run.db.rows)[5]).toBeCloseTo(-9.03, 0);
    },
  );

  it.each([0, 4])('but WAV whose block align is %d is decoded, with a notice', async (frameBytes) => {
    const path = file(
      wav(encode('s16', [sine(1000, 0.5)], 16_000, 16_000), { rateHz: 16_000, says: { frameBytes } }),
    );
    const run = await recorded([path, '--start', START]);
    expect(run.lines).toContainEqual(
      expect.stringContaining(
        `1 channels of 16 bits take 2 bytes, but its block align is ${frameBytes}, which needs ffmpeg to decode.`,
      ),
    );
    expect(levelsOf(run.db.rows)).toEqual(new Array(10).fill(-9.03));
  });

  it.each([
    [8000, '--whole', 10],
    [32_000, '--partial', 10],
    [8000, '--partial', 5],
  ] as const)(
    'or a WAV file of A-law whose header says %d bytes for 16000 is refused, and read with %s',
    async (data, flag, count) => {
      const bytes = readFileSync(encoded('wav', '-ac', '1', '-c:a', 'pcm_alaw'));
      bytes.writeUInt32LE(data, bytes.indexOf('data') + 4);
      const args = [file(bytes), '--start', START];
      expect(await refusedRecord(args)).toMatch(`${data} bytes of sound, `);
      expect((await recorded([...args, flag])).db.rows).toHaveLength(count);
    },
  );

  it('names what to install if nothing decodes it', async () => {
    vi.stubEnv('PATH', temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const law = file(wav(stereo, { says: { codec: 6 } }));
    expect(await refusedRecord([law, '--start', START])).toMatch(
      /holds A-law sound, .*\. To measure it, install ffmpeg/,
    );
  });

  it('without sound, or with an unknown codec, is refused', async () => {
    const unknown = file(wav(stereo, { says: { codec: 0x1234 } }));
    expect(await refusedRecord([unknown, '--start', START])).toMatch('cannot be decoded: ');
    const path = file('this is text, and long enough');
    expect(await refusedRecord([path, '--start', START])).toMatch(
      /is not a WAV file, and it has no sound: .*Invalid data/,
    );
  });
});

it("A field recorder's WAV file has its start in a bext chunk", async () => {
  const bext = Buffer.alloc(8 + 602);
  bext.write('bext', 0);
  bext.writeUInt32LE(602, 4);
  bext.write('2026-06-2122-15-00', 8 + 320);
  const plain = Buffer.from(stereo);
  const path = file(Buffer.concat([plain.subarray(0, 12), bext, plain.subarray(12)]));
  const run = await recorded([path, '--zone', 'Europe/Vienna']);
  expect(run.db.rows[0]).toMatch(/^2026-06-21T20:15:00\.000000Z,/);
  expect(run.db.rows).toHaveLength(10);
  expect(await refusedRecord([file(stereo), '--zone', 'UTC'])).toContain(
    'has no start time: give it with --start, or read it from the file name, such as --name-time rec_YYYYMMDD_HHmmss',
  );
});

describe('A recording of an AudioMoth', () => {
  const moth = (zone: string, ...sound: Buffer[]) => {
    const comment = Buffer.from(
      `Recorded at 20:15:00 12/11/2026 (UTC${zone}) by AudioMoth 24E144085F256C4B at medium`,
    );
    const list = chunk('LIST', Buffer.concat([Buffer.from('INFO'), chunk('ICMT', comment)]));
    return file(wav(Buffer.concat([...sound, tone]), { between: [list] }), '20261112_201500T.WAV');
  };
  const tone = encode('s16', [sine(1000)], 8000, 999);

  it('has its start and its zone, which --zone must not contradict', async () => {
    for (const [zone, began] of [
      ['+1', '19:15'],
      ['-3:30', '23:45'],
      ['', '20:15'],
    ] as const)
      expect((await recorded([moth(zone)])).db.rows[0]).toMatch(`2026-11-12T${began}:00.000000Z,-3.01,1000`);
    const named = ['--name-time', 'YYYYMMDD_HHmmss'];
    expect((await recorded([moth('+1'), ...named])).db.rows[0]).toMatch('2026-11-12T19:15:00.000000Z');
    for (const args of [[], named]) {
      await recorded([moth('+1'), ...args, '--zone', 'Europe/Vienna']);
      expect(await refusedRecord([moth('+1'), ...args, '--zone', 'UTC'])).toMatch(
        /was recorded with a clock set to \+01:00, but --zone UTC has another offset at that time: leave out --zone$/,
      );
    }
  });

  it('that omits quiet sound is refused, because a block marks the omission', async () => {
    const block = Buffer.alloc(512);
    for (let bit = 0; bit < 32; bit++) block.writeInt16LE((600 >> bit) & 1 ? 1 : -1, 2 * bit);
    expect(await refusedRecord([moth('', tone, block)])).toContain(
      'triggered AudioMoth recording. It omits quiet sound',
    );
  });
});

it('A start in the repeated hour is taken as the first, with a notice, and an offset takes the second', async () => {
  const path = file(stereo, 'rec_20261025_021500.wav');
  const args = [path, '--name-time', 'rec_YYYYMMDD_HHmmss', '--zone'];
  const run = await recorded([...args, 'Europe/Vienna']);
  expect(run.lines[0]).toBe(
    `${path}: its start occurs twice in Europe/Vienna. Taking the first, 2026-10-25T00:15:00.000000Z; to take the second, give --zone +01:00.`,
  );
  expect(run.db.rows[0]).toMatch('2026-10-25T00:15:00.000000Z');
  expect((await recorded([...args, '+01:00'])).db.rows[0]).toMatch('2026-10-25T01:15:00.000000Z');
});

describeOnWire('A folder of recordings', (engine) => {
  const test = openForAll(() => engine.open());

  it('is measured once, each recording from the time in its name, and faults are reported', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'later'));
    const [first, second] = [
      join(folder, 'rec_20260621_221500.wav'),
      join(folder, 'later', 'rec_20260621_221501.wav'),
    ];
    writeFileSync(first, tones(19_200)); // overlaps the second one
    writeFileSync(second, stereo);
    const broken = join(folder, 'rec_20260621_221502.wav');
    writeFileSync(broken, stereo.subarray(0, 30));
    writeFileSync(join(folder, 'notes.txt'), 'none');
    const run = createRun({ onto: test.db });
    const { io } = run;
    const args = [folder, '--name-time', 'rec_YYYYMMDD_HHmmss', '--zone', 'Europe/Vienna'];
    const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
    const began = (second: number) => `2026-06-21T20:15:0${second}`;
    expect(await messageOf(record(args, io))).toBe('1 of 3 recordings were not stored');
    expect(run.lines).toEqual([
      `Measuring ${second}, from ${began(1)}.000000Z:`,
      `Stored 10 points, ${began(1)}.000000Z to ${began(1)}.900000Z.`,
      `Measuring ${first}, from ${began(0)}.000000Z:`,
      `Stored 12 points, ${began(0)}.000000Z to ${began(1)}.100000Z.`,
      `${broken} is truncated: it ends inside its "fmt " chunk`,
    ]);
    expect(await count()).toBe(22);
    run.lines.length = 0;
    await messageOf(record(args, io));
    expect(run.lines.slice(0, 2)).toEqual([
      `Skipped ${second}: its time already has 12 points, ${began(1)}.000000Z to ${began(1)}.900000Z.`,
      `Skipped ${first}: its time already has 14 points, ${began(0)}.000000Z to ${began(1)}.100000Z.`,
    ]);
    expect(await count()).toBe(22);
    await messageOf(record([...args, '--add'], io));
    expect(await count()).toBe(44);
    await messageOf(record([...args, '--replace'], io));
    expect(await count()).toBeLessThan(22); // if two overlap, the last one measured wins
  });

  it('is reported by name if its name has no time, or one that its zone skips', async () => {
    const folder = temporaryFolder();
    for (const name of ['rec.wav', 'rec_20260329_021500.wav']) writeFileSync(join(folder, name), stereo);
    const run = createRun();
    const args = [folder, '--name-time', 'rec_YYYYMMDD_HHmmss', '--zone', 'Europe/Vienna'];
    expect(await messageOf(record(args, run.io))).toBe('2 of 2 recordings were not stored');
    expect(run.lines).toEqual([
      expect.stringMatching(
        /rec\.wav: its name does not match rec_YYYYMMDD_HHmmss; --name-time must be a pattern of YYYY or/,
      ),
      expect.stringContaining(
        'rec_20260329_021500.wav" does not exist in Europe/Vienna, because clocks went',
      ),
    ]);
  });
});

describeOnWire('A recording', (engine) => {
  const test = openForAll(() => engine.open());

  it('is stored once, and added to existing points only on request', async () => {
    const run = createRun({ onto: test.db });
    const { io } = run;
    const path = join(temporaryFolder(), 'tones.wav');
    writeFileSync(path, stereo);
    const args = [path, '--start', '2026-06-21T20:15:00Z'];
    const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
    await record(args, io);
    expect(await count()).toBe(10);
    expect(await messageOf(record(args, io))).toBe(
      `${path} was not stored: its time already has 10 points, 2026-06-21T20:15:00.000000Z to 2026-06-21T20:15:00.900000Z. --replace replaces them, --add keeps both`,
    );
    expect(await count()).toBe(10);
    // overlaps the last half second of the first
    expect(await messageOf(record([path, '--start', '2026-06-21T20:15:00.5Z'], io))).toMatch(
      /--add keeps both$/,
    );
    await record([...args, '--add'], io);
    expect(await count()).toBe(20);
    await record([path, '--start', '2026-06-21T20:15:01Z'], io); // begins where the first ends
    expect(await count()).toBe(30);
    run.lines.length = 0;
    await record([...args, '--replace'], io);
    expect(run.lines).toEqual([
      expect.stringMatching(/^Stored 10 points, .* They replaced 20 points, .*\.$/),
    ]);
    expect(await count()).toBe(20);
  });
});
