// Lines that are stored as they arrive, including lines from an MQTT broker if this machine has mosquitto.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LatestOutput } from '../../src/operations/audio/latest/contract.ts';
import { freePort } from '../cluster.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { dataFolder, start, temporaryFolder } from '../process.ts';
import { findProgram } from '../program.ts';
import { createRun, importCsv, imported, refusedImport } from '../recorder/run.ts';

const ARGS = ['-', '--follow', '--columns', 'time,level', '--time-format', 'unix', '--offset-db', '-100'];

describeOnWire('Followed lines', (engine) => {
  const test = openForAll(() => engine.open());

  it('are stored as they arrive, except unreadable ones, which are reported', async () => {
    const stdin = new PassThrough();
    const run = createRun({ stdin, onto: test.db });
    const following = importCsv(ARGS, run.io);
    const levels = async () =>
      (await test.sql('select rms_db from audio_data order by time')).map(({ rms_db }) => rms_db);
    stdin.write('1767225600,70\n17672256');
    await expect.poll(levels).toEqual([-30]);
    stdin.write('01.5,71\r\n\n1767225602,loud\n"1767225603,72\n1767225604,73\n');
    await expect.poll(levels).toEqual([-30, -29, -27]);
    stdin.write(`${'9'.repeat(10_000)}\n1767225605,200\n1767225606,74\n1767225607,7`);
    run.abort.abort(); // everything that arrived is stored, except a partial line
    await following;
    expect(await levels()).toEqual([-30, -29, -27, -26]);
    expect(run.lines).toEqual([
      'Warning: skipped line 4 of standard input: the level "loud" is not a number: if it stands for a missing value, give --none "loud"; otherwise choose another column',
      'Stored 4 points, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:06.000000Z.',
      'Skipped 4 lines in all.',
    ]);
  });
});

describe('A stream of lines', () => {
  it.each(['booting; please wait', 'boot,ok', '"', 'ready'])(
    'is read by its lines, whatever its device sends first: %s',
    async (greeting) => {
      const run = createRun({ stdin: Buffer.from(`${greeting}\n1767225600,-20,440\n1767225601,-21,441\n`) });
      await importCsv(['-', '--follow', '--columns', 'time,level,freq', '--time-format', 'unix'], run.io);
      expect(run.lines).toContain(
        'Stored 2 points, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:01.000000Z.',
      );
    },
  );

  it('skips and counts times ahead of now or before 1990, unless --far is given', async () => {
    const stdin = Buffer.from('2034000000,70\n1767225600,70\n9,70\n2034000001,70\n');
    const run = await imported(ARGS, { stdin });
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-30,,false']);
    const warnings = run.lines.filter((line) => line.includes('Warning'));
    expect(warnings).toEqual([
      expect.stringMatching(/skipped line 1 of standard input: the time .* ahead of now/),
    ]);
    expect(run.lines).toContain('Skipped 3 lines in all.');
    expect((await imported([...ARGS, '--far'], { stdin })).db.rows).toHaveLength(4);
  });

  it.each([
    [['file.csv', '--follow'], '--follow reads only standard input: give - instead of a file'],
    ...[['--dry-run'], ['--replace']].map((args): [string[], string] => [
      ['-', '--follow', ...args],
      `Option '${args}' cannot be used with option '--follow'`,
    ]),
    [['-', '--follow', '--hold', '1s'], "Option '--follow' cannot be used with option '--hold <TIME>'"],
  ])('with the arguments %j is refused', async (args, message) => {
    expect(await refusedImport(args)).toContain(message);
  });

  it('ends if its header is wrong', async () => {
    const stdin = new PassThrough();
    stdin.end('a,b\n1,2\n');
    expect(await refusedImport(['-', '--follow'], { stdin })).toContain(
      'Standard input, line 1: the header is "a,b"; it must be time,rms_db,frequency_hz,is_silence',
    );
  });

  it('without a last line break is complete', async () => {
    const stdin = new PassThrough();
    stdin.end('1767225600,70');
    const run = await imported(ARGS, { stdin });
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-30,,false']);
  });
});

const hasBroker = findProgram('mosquitto') && findProgram('mosquitto_sub');

it(
  'Messages of an MQTT broker are stored once, although service, subscriber and broker are killed',
  needs('mosquitto', hasBroker),
  async () => {
    const port = `${await freePort()}`;
    const DATA_DIR = dataFolder();
    const broker = () => {
      const child = run('mosquitto', '-p', port, '-v');
      let log = '';
      child.stderr.on('data', (text) => {
        log += text;
      });
      const subscribed = () => expect.poll(() => log).toContain('SUBACK to importer');
      return { child, subscribed };
    };
    const subscribe = () => {
      const importing = start(['import', ...ARGS], { DATA_DIR });
      const topic = ['-t', 'level', '-q', '1', '-c', '-i', 'importer'];
      const subscriber = run('mosquitto_sub', '-p', port, '-F', '%U,%p', ...topic);
      subscriber.stdout.on('data', (piece) => importing.feed(piece));
      subscriber.once('close', () => importing.write(''));
      return { importing, subscriber };
    };
    const publish = (level: number) =>
      execFileSync('mosquitto_pub', ['-p', port, '-t', 'level', '-q', '1', '-m', `${level}`]);
    const levels = async (address: string) => {
      const answer = await fetch(`${address}/api/v1/audio/latest?limit=100`);
      return LatestOutput.parse(await answer.json())
        .points.map(({ rms_db }) => rms_db)
        .toReversed();
    };

    const first = broker();
    const service = start(['serve'], { DATA_DIR });
    const address = await service.address();
    const before = subscribe();
    await first.subscribed();
    publish(50);
    await expect.poll(() => levels(address)).toEqual([-50]);
    before.subscriber.kill('SIGTERM'); // its messages wait in the broker
    expect(await before.importing.ended).toBe(0);
    publish(60);
    service.kill('SIGKILL');
    await service.ended;
    const { importing, subscriber } = subscribe();
    const waiting = () => readdirSync(join(DATA_DIR, 'spool')).filter((name) => name.endsWith('.csv'));
    await expect.poll(waiting).toHaveLength(1);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await broker().subscribed(); // the subscriber reconnects by itself
    publish(70);
    const next = await start(['serve'], { DATA_DIR }).address();
    await expect.poll(() => levels(next)).toEqual([-50, -40, -30]);
    subscriber.kill('SIGTERM');
    expect(await importing.ended).toBe(0);
    expect(importing.output()).toContain('Stored 2 points');
  },
);

function run(program: string, ...args: string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(program, args, { cwd: temporaryFolder(), env: { PATH: `${PATH}:/usr/sbin` } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
