// The service with a recorder of its own, as a process, and a program in place of a microphone's.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InfoOutput } from '../../src/contract/service.ts';
import { dataFolder, start, temporaryFolder } from '../process.ts';

/** Plays a tone in real time from a process of its own, and writes the ids of both. */
function microphone(folder: string, seconds = 3600): string {
  const script = join(folder, 'microphone.js');
  writeFileSync(
    script,
    `require('fs').writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.ppid + ' ' + process.pid);
    const begun = performance.now();
    console.error('Recording raw data');
    const sound = Buffer.from(Int16Array.from({ length: 400 }, (_, n) => 9000 * Math.sin(n)).buffer);
    let played = 0;
    setInterval(() => {
      const due = Math.floor((performance.now() - begun) / 50);
      for (; played < due; played++) process.stdout.write(sound);
      if (played > ${20 * seconds}) process.exit(3);
    }, 10);`,
  );
  return `${process.execPath} ${script}; exit $?`;
}

const pidsOf = (folder: string) => readFileSync(join(folder, 'pids'), 'utf8').split(' ').map(Number);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

const RATE = ['--rate', '8000'];

describe('The recorder of the service', () => {
  it('is started with it, started again when it ends, and ended with it', async () => {
    const folder = temporaryFolder();
    const DATA_DIR = dataFolder();
    const service = start(['serve', '--record', microphone(folder), ...RATE], { DATA_DIR });
    const address = await service.address();
    const count = async () => {
      const answer = await fetch(`${address}/api/v1/stats/summary?period=1h`);
      return Number(/"point_count":(\d+)/.exec(await answer.text())?.[1]);
    };
    const recorder = async () => {
      const answer = await fetch(`${address}/api/v1/service/info`);
      return InfoOutput.parse(await answer.json()).recorder;
    };
    await expect.poll(count).toBeGreaterThan(5);
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
    await expect.poll(() => pidsOf(folder)).not.toEqual([shell, program]);
    const pids = pidsOf(folder);
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(await service.stop()).toBe(0);
    expect(pids.map(isRunning)).toEqual([false, false]);
    for (const line of [
      'The recorder says: Recording raw data',
      'The recorder ended (exit code 137), and is started again in 1 s',
    ])
      expect(service.output()).toContain(line);
  });

  it('pauses for longer each time that it ends at once', async () => {
    const service = start(['serve', '--record', 'exit 7', ...RATE], { DATA_DIR: dataFolder() });
    for (const seconds of [1, 2, 4])
      await expect
        .poll(() => service.output())
        .toContain(`The recorder ended (exit code 7), and is started again in ${seconds} s`);
    expect(await service.stop()).toBe(0);
  });

  it('weighs levels as asked, and says which bands its rate leaves out', async () => {
    const args = ['serve', '--record', microphone(temporaryFolder()), ...RATE, '--weighting', 'A'];
    const service = start([...args, '--time-weighting', 'fast'], { DATA_DIR: dataFolder() });
    const address = await service.address();
    const latest = async () => (await fetch(`${address}/api/v1/audio/latest`)).text();
    // -14.25 dB before weighting
    await expect.poll(latest).toMatch(/"rms_db":-13\.\d+,"frequency_hz":128\d,/);
    expect(service.output()).toContain(
      'At 8000 samples a second, A-weighting does not cover the third octaves from 4000 Hz up',
    );
    expect(await service.stop()).toBe(0);
  });

  it('leaves its points to the next start, where the service is killed', async () => {
    const folder = temporaryFolder();
    const DATA_DIR = dataFolder();
    const args = ['serve', '--record', microphone(folder), ...RATE];
    const killed = start(args, { DATA_DIR });
    await killed.address();
    await expect.poll(() => existsSync(join(folder, 'pids'))).toBe(true);
    killed.kill('SIGKILL');
    await killed.ended;
    const again = start(args, { DATA_DIR });
    const address = await again.address();
    const points = async () => (await (await fetch(`${address}/api/v1/audio/latest`)).text()).length;
    await expect.poll(points).toBeGreaterThan(500);
    expect(await again.stop()).toBe(0);
  });

  it.each([
    [['--record', 'arecord'], '--rate: missing; how many samples a second the command writes'],
    [['--record', ' ', ...RATE], '--record: empty; it must be a command'],
    [['--record', 'a', '--record', 'b', ...RATE], '--record: given 2 times; once is allowed'],
    [[...RATE, '--silence-db', '-30'], '--rate: not allowed without --record\n--silence-db: not allowed'],
    [['--record', 'arecord', '--rate', '0'], '--rate: "0" is not allowed; it must be a whole number'],
    [['--weighting', 'A'], '--weighting: not allowed without --record'],
    [['--record', 'arecord', ...RATE, '--time-weighting', 'F'], '--time-weighting: "F" is not allowed'],
    [
      ['--record', 'arecord', ...RATE, '--channel', '2'],
      '--channel: "2" is not allowed; the sound has one channel, so it must be 1, mean or max',
    ],
    [['--record', 'arecord', ...RATE, '--format', 'mp3'], '--format: "mp3" is not allowed'],
    [['--record', 'arecord', ...RATE, '--spool', 'there'], '--spool: not allowed without DATABASE_URL'],
  ])('is refused with %j', async (args, message) => {
    const service = start(['serve', ...args], { DATA_DIR: temporaryFolder() });
    expect(await service.ended).toBe(2);
    expect(service.output()).toContain(message);
  });
});
