// The service with a recorder of its own, without a microphone.
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSource } from '../../src/recorder/sources/source.ts';
import { createSpoolWriter } from '../../src/recorder/storing/spool/spool-writer.ts';
import { serve, sourceOf } from '../in-process.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { microphone, RATE } from './microphone.ts';
import { createRun, record } from './run.ts';
import { openTestSpool } from './spool/segments.ts';

const pidsOf = (folder: string) => readFileSync(join(folder, 'pids'), 'utf8').split(' ').map(Number);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe('The recorder of the service', () => {
  it('starts with the service, weights on request, restarts when it ends, and ends with the service', async () => {
    const folder = temporaryFolder();
    const weighting = ['--weighting', 'A', '--time-weighting', 'fast'];
    const service = await serve(
      { DATA_DIR: dataFolder() },
      ...['--record', microphone(folder), ...RATE, ...weighting],
    );
    const count = async () => (await service.latest()).length;
    const recorder = async () => (await service.info()).recorder;
    // -14.25 dB before weighting
    const newest = async () => (await service.latest()).map((each) => `${each.rms_db} ${each.frequency_hz}`);
    await expect.poll(newest).toContainEqual(expect.stringMatching(/^-13\.\d+ 128\d$/));
    expect(await recorder()).toMatchObject({ running: true, restarts: 0, last_exit: null });
    const [shell = 0, program = 0] = pidsOf(folder);
    process.kill(program, 'SIGKILL');
    await expect.poll(recorder).toMatchObject({
      running: false,
      restarts: 0,
      last_exit: { reason: 'exit code 137' },
    });
    await expect.poll(recorder).toMatchObject({ running: true, restarts: 1 });
    const before = await count();
    await expect.poll(count).toBeGreaterThan(before);
    const pids = pidsOf(folder);
    expect([shell, program].filter((pid) => pids.includes(pid))).toEqual([]);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await service.stop();
    expect(pids.map(isRunning)).toEqual([false, false]);
    for (const line of [
      'The recorder says: Recording raw data',
      'The recorder ended (exit code 137). Restarting it in 1 s',
      'At 8000 samples per second, A-weighting does not cover the third octaves from 4000 Hz up',
    ])
      expect(service.output()).toContain(line);
  });

  it('pauses for longer each time its program ends at once', async () => {
    const [command] = (await sourceOf(['--record', 'exit 7', ...RATE])).commands;
    if (!command) throw new Error('There is none');
    const lines: string[] = [];
    const writer = createSpoolWriter({ spool: await openTestSpool(), report: (line) => lines.push(line) });
    const log = { info() {}, warn: (line: string) => lines.push(line), error() {} };
    const source = startSource({ ...command, writers: [writer], clock: Date.now, log, firstPauseMs: 10 });
    await expect.poll(() => lines.length).toBeGreaterThan(2);
    await source.stop();
    expect(lines.slice(0, 3)).toEqual(
      [0.01, 0.02, 0.04].map((seconds) => `The recorder ended (exit code 7). Restarting it in ${seconds} s`),
    );
  });

  it('may belong to another user, who shares only a spool with the service', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o770);
    const service = await serve({ DATA_DIR: dataFolder() }, '--spool', folder);
    await expect.poll(() => readdirSync(folder)).toContain('periods.json');
    expect(statSync(join(folder, 'periods.json')).mode & 0o777).toBe(0o660);
    const { io, lines } = createRun({ stdin: Buffer.alloc(2 * 8000) });
    const openDatabase = () => Promise.reject(new Error('It is not mine'));
    await record(['-', ...RATE, '--format', 's16le', '--spool', folder], {
      ...io,
      database: 'embedded',
      openDatabase,
    });
    expect(lines.at(-1)).toMatch(/^Stored [1-9]\d* points?, /);
    expect(await service.latest()).toContainEqual(expect.objectContaining({ rms_db: -50 }));
  });

  it('hides the users of URLs, and keeps a bounded part of an endless line', async () => {
    const url = 'rtsp://user:se@cret@camera/1';
    const [command] = (
      await sourceOf([
        ...[
          '--record',
          `: ${url}; echo no ${url} >&2; head -c 50000 /dev/zero | tr '\\0' x >&2; echo ${url} >&2`,
        ],
        ...RATE,
      ])
    ).commands;
    if (!command) throw new Error('There is none');
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    const writer = createSpoolWriter({ spool: await openTestSpool(), report: say });
    const source = startSource({
      ...command,
      writers: [writer],
      clock: Date.now,
      log: { info: say, warn: say, error: say },
    });
    await expect.poll(() => lines.length).toBeGreaterThan(3);
    await source.stop();
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(
        /^Started the recorder: : rtsp:\/\/\*\*\*@camera\/1; .* rtsp:\/\/\*\*\*@camera\/1 >&2$/,
      ),
      'The recorder says: no rtsp://***@camera/1',
      `The recorder says: ${'x'.repeat(1000)}…`,
    ]);
  });

  it.each([
    [['--record', 'arecord'], '--rate: required; give the samples per second that the command writes'],
    [['--record', ' ', ...RATE], 'It must be a command, with NAME= before it for a station.'],
    [
      ['--record', 'a', '--record', 'b', ...RATE],
      '--record: given twice for the station default; give it once per station, with NAME= for other stations',
    ],
    [[...RATE, '--silence-db', '-30'], '--silence-db: needs --record'],
    [['--weighting', 'A'], '--weighting: needs --record'],
  ])('is refused with %j', async (args, message) => {
    await expect(serve({ DATA_DIR: temporaryFolder() }, ...args)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
    });
  });
});
