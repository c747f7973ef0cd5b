// A recording that would soon expire is refused before anything of it is stored.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { createRun, file, messageOf, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const SOUND = wav(encode('s16', [sine(1000, 0.1)], 8000, 8000));
const daysAgo = (days: number) => instantOf(Date.now() - days * 86_400_000);

describeOnWire('A recording older than the retention', (engine) => {
  const test = openForAll(() => engine.open());
  const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
  const keep = (retention: string) =>
    test.sql('update audio_data_refreshes set raw_retention = $1', [retention]);
  function begin(stdin = Readable.from([])) {
    const run = createRun({ stdin, onto: test.db });
    return { run, io: run.io };
  }

  it('is refused, with a fix', async () => {
    await keep('35 days');
    const path = file(SOUND);
    const start = daysAgo(40);
    for (const more of [[], ['--add'], ['--replace']]) {
      const refusal = await messageOf(record([path, '--start', start, ...more], begin().io));
      expect(refusal).toContain(`${path} was not stored: it begins at ${start}, and points before `);
      expect(refusal).toContain(' expire soon, because RAW_RETENTION is 35 days. Set RAW_RETENTION to off');
    }
    expect(await count()).toBe(0);
    await record([path, '--start', daysAgo(30)], begin().io);
    expect(await count()).toBe(10);
    await keep('off');
    await record([path, '--start', start], begin().io);
    expect(await count()).toBe(20);
    await test.sql('truncate audio_data');
  });

  it('is refused from standard input too', async () => {
    await keep('35 days');
    const start = daysAgo(40);
    const stream = (begins: string) => {
      const { io } = begin(Readable.from([SOUND]));
      return messageOf(record(['-', '--start', begins], io));
    };
    expect(await stream(start)).toContain(
      `Standard input was not stored: it begins at ${start}, and points before `,
    );
    expect(await count()).toBe(0);
    expect(await stream(daysAgo(30))).toBe('no error');
    expect(await count()).toBe(10);
    await test.sql('truncate audio_data');
  });

  it('is reported in a folder, and the others are stored', async () => {
    await keep('35 days');
    const folder = temporaryFolder();
    const dayOf = (days: number) => daysAgo(days).slice(0, 10).replaceAll('-', '');
    for (const days of [40, 2]) writeFileSync(join(folder, `${dayOf(days)}.wav`), SOUND);
    const { run, io } = begin();
    const refusal = await messageOf(record([folder, '--name-time', 'YYYYMMDD', '--zone', 'UTC'], io));
    expect(refusal).toBe('1 of 2 recordings were not stored');
    expect(run.lines.filter((line) => line.includes('RAW_RETENTION is 35 days'))).toHaveLength(1);
    expect(await count()).toBe(10);
  });
});
