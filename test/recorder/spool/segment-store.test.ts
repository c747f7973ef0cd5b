import { copyFileSync, cpSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BadInput } from '../../../src/commands/input-files.ts';
import { instantOf } from '../../../src/contract/instant.ts';
import type { Database } from '../../../src/database/database.ts';
import { AppError } from '../../../src/errors.ts';
import { admitRecorder } from '../../../src/recorder/storing/admit-recorder.ts';
import { createSegmentStore } from '../../../src/recorder/storing/spool/segment-store.ts';
import type { Spool } from '../../../src/recorder/storing/spool/spool.ts';
import { createSpoolWriter } from '../../../src/recorder/storing/spool/spool-writer.ts';
import { andOnCitus, describeEachEngine, openForAll } from '../../engines.ts';
import { temporaryFolder } from '../../process.ts';
import { messageOf } from '../run.ts';
import { failOnce, filesOf, openTestSpool, points, rows } from './segments.ts';

const ALONE = { start: instantOf(0), isAlone: true };
const AWAY = new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached');

andOnCitus(describeEachEngine)('Segments', (engine) => {
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql('truncate audio_data; alter table audio_data drop constraint if exists no_666'));

  /** The seconds of the stored points, in order, including duplicates. */
  const stored = async () =>
    (await test.sql('select extract(epoch from time)::int as s from audio_data order by s')).map(
      ({ s }) => s,
    );
  const upTo = (count: number) => Array.from({ length: count }, (_, s) => s);
  const noted = async () => (await test.sql('select count(*)::int as n from audio_data_spools'))[0].n;

  /** Stores everything as a newly started process does. */
  async function store(spool: Spool, db: Database = test.db): Promise<string[]> {
    const lines: string[] = [];
    await createSegmentStore(db, spool, (line) => lines.push(line))();
    return lines;
  }

  /** A spool of segments, and a function that puts one back. */
  async function written(count: number) {
    const spool = await openTestSpool();
    const kept = temporaryFolder();
    for (let n = 0; n < count; n++) {
      const segment = await spool.write(rows(n, 1));
      if (segment) copyFileSync(join(spool.folder, segment.name), join(kept, segment.name));
    }
    const segments = await spool.waiting();
    const restore = (name = '') => copyFileSync(join(kept, name), join(spool.folder, name));
    return { spool, segments, restore };
  }

  it('that a killed process stored but did not remove are only removed', async () => {
    const { spool, segments, restore } = await written(5);
    await store(spool);
    for (const { name } of segments) restore(name);
    await spool.write(rows(5, 2));
    expect(await store(spool)).toEqual([]);
    expect(await stored()).toEqual(upTo(7));
    expect(filesOf(spool)).toEqual([]);
  });

  it('of the same key are stored once, together, after a kill, and in another spool, until a week has passed', async () => {
    await test.sql('truncate audio_data_spools');
    const [spool, other] = [await openTestSpool(), await openTestSpool()];
    const write = (into: Spool, second: number, key: string) =>
      into.write(rows(second, 1), {}, into.nextName(key));
    await write(spool, 0, 'a');
    await write(spool, 1, 'a');
    await write(spool, 2, 'b');
    await spool.write(rows(3, 1));
    await store(spool);
    await write(spool, 4, 'b');
    await write(other, 5, 'a');
    for (const each of [spool, other]) await store(each);
    expect([await stored(), filesOf(spool), filesOf(other)]).toEqual([[0, 2, 3], [], []]);
    await test.sql("update audio_data_spools set live_until = now() - interval '8 days'");
    const before = await noted();
    await test.sql('select audio_data_remove_old(0) from audio_data_refreshes'); // roles that only refresh may call it
    expect(await noted()).toBe(before - 2);
    await write(spool, 6, 'a');
    await store(spool);
    expect(await stored()).toEqual([0, 2, 3, 6]);
  });

  it('of one live recorder at a time are stored, unless recorders have --add', async () => {
    await test.sql('truncate audio_data_spools');
    const [one, two] = [await openTestSpool(), await openTestSpool()];
    const live = (spool: Spool, second: number) => spool.write(rows(second, 1), { coversMs: 1000 });
    await live(one, 0);
    await store(one);
    (await admitRecorder(ALONE, one, test.db))();
    const refused = await messageOf(admitRecorder(ALONE, two, test.db));
    expect(refused).toMatch(/^Another live recorder .*--add$/);
    await live(two, 1);
    await expect(store(two)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect([await stored(), (await two.waiting()).length]).toEqual([[0], 1]);
    await live(one, 2);
    await store(one); // after a restart, it has its own lease back
    await two.write(rows(3, 1)); // of a recording: these wait behind the live one
    await createSegmentStore(test.db, two, () => {}, true)();
    expect(await stored()).toEqual([0, 1, 2, 3]);
    await live(two, 4);
    await expect(store(two)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await test.sql("update audio_data_spools set live_until = now() - interval '1 s'");
    await store(two);
    expect(await stored()).toEqual([0, 1, 2, 3, 4]);
    await expect(admitRecorder(ALONE, one, test.db)).rejects.toThrow(BadInput);
  });

  it('of two live recorders do not share a spool', async () => {
    const spool = await openTestSpool();
    const release = await admitRecorder(ALONE, spool);
    const refused = await messageOf(admitRecorder(ALONE, spool));
    expect(refused).toMatch(/^Another live recorder writes to .*--add$/);
    release();
    (await admitRecorder(ALONE, spool))();
  });

  it('are stored once even if the response to the commit is lost', async () => {
    const { spool } = await written(3);
    let failures = 0;
    const losing: Database = {
      ...test.db,
      async transaction(...given) {
        const result = await test.db.transaction(...given);
        failures += 1;
        if (failures <= 2) throw AWAY;
        return result;
      },
    };
    const storeAll = createSegmentStore(losing, spool, () => {});
    expect(await messageOf(storeAll())).toBe(AWAY.message);
    await spool.write(rows(3, 1));
    expect(await messageOf(storeAll())).toBe(AWAY.message);
    await storeAll();
    expect(await stored()).toEqual(upTo(4));
    expect(filesOf(spool)).toEqual([]);
  });

  it.each([
    ['open', 1, false],
    ['open', 2, false],
    ['writeFile', 1, false],
    ['writeFile', 1, true],
    ['sync', 1, true],
    ['sync', 2, false],
    ['sync', 2, true],
    ['rename', 1, false],
    ['rename', 1, true],
  ] as const)(
    'are stored once although the disk fails at %s, call %i, or after it: %s',
    async (name, nth, after) => {
      const spool = await openTestSpool();
      const lines: string[] = [];
      const writer = createSpoolWriter({ spool, report: (line) => lines.push(line) });
      await failOnce(name, nth, after);
      await writer.add(points(0, 2));
      await expect.poll(() => lines).toHaveLength(1);
      await store(spool); // the points written so far
      await writer.add(points(2, 1));
      await writer.close();
      expect(lines[1]).toBe(`Writing points to ${spool.folder} again.`);
      await store(spool);
      expect(await stored()).toEqual(upTo(3));
      expect(filesOf(spool)).toEqual([]);
    },
  );

  it('of a copied folder, and of a folder put back, are not stored again', async () => {
    const { spool } = await written(3);
    const aside = (await spool.waiting())[1]?.name ?? '';
    await spool.setAside(aside);
    const copy = join(temporaryFolder(), 'copy');
    cpSync(spool.folder, copy, { recursive: true });
    await store(spool);
    for (let n = 3; n < 6; n++) {
      await spool.write(rows(n, 1));
      await store(spool);
    }
    await store(await openTestSpool(copy));
    cpSync(copy, spool.folder, { recursive: true });
    await store(spool);
    expect(await stored()).toEqual([0, 2, 3, 4, 5]);
    renameSync(join(spool.folder, `${aside}.set-aside`), join(spool.folder, aside));
    await store(spool);
    expect(await stored()).toEqual(upTo(6));
  });

  it('are stored once by several processes on one folder, and from several folders', async () => {
    const before = await noted();
    const all = await Promise.all([0, 1].map(() => written(30)));
    await Promise.all(all.flatMap(({ spool }) => [store(spool), store(spool), store(spool)]));
    expect(await stored()).toEqual(upTo(30).flatMap((s) => [s, s]));
    expect(await noted()).toBe(before + 2); // one row for each writer
  });

  it('that are unreadable are set aside and named, and block no other', async () => {
    const { spool, segments } = await written(5);
    const [, torn, , changed] = segments.map(({ name }) => join(spool.folder, name));
    truncateSync(torn ?? '', 10);
    writeFileSync(changed ?? '', '2026-01-01T00:00:00Z,3,,false\n');
    writeFileSync(join(spool.folder, 'points.csv'), 'time\n');
    const older = join(spool.folder, '9764000000000000-0123456789abcdef.1-1-0.csv');
    writeFileSync(older, `#{"weighting":"A","new_period":false}\n${rows(9, 1).join('')}`);
    expect(await store(spool)).toEqual([
      `Warning: set aside ${spool.folder}/points.csv, which no recorder of this version wrote. Delete it, or let commit 4c91cf3bd982 store it`,
      `Warning: set aside ${torn}, whose points cannot be stored: it is torn: it has 0 whole lines, but was written with 1. Fix or delete it`,
      `Warning: set aside ${changed}, whose points cannot be stored: line 1: rms_db is "3"; it must be a decimal number, -50 to 0, or empty. Fix or delete it`,
      `Warning: set aside ${older}, whose points cannot be stored: its first line is not a head of this version (commit 4c91cf3bd982 reads older ones). Fix or delete it`,
    ]);
    expect(await stored()).toEqual([0, 2, 4]);
    expect(filesOf(spool)).toEqual(
      [segments[1]?.name, segments[3]?.name, basename(older), 'points.csv']
        .map((name) => `${name}.set-aside`)
        .sort(),
    );
  });

  it('that the table refuses are set aside, each alone', async () => {
    await test.sql(
      'alter table audio_data add constraint no_666 check (extract(epoch from time) not in (1, 3))',
    );
    const { spool, segments } = await written(5);
    const lines = await store(spool);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      new RegExp(`${segments[1]?.name}, whose points cannot be stored: new row .*no_666`),
    );
    expect(await stored()).toEqual([0, 2, 4]);
  });

  it('wait if the database is away or refuses all of them', async () => {
    const { spool, segments } = await written(3);
    for (const fault of [AWAY, Object.assign(new Error('permission denied'), { code: '42501' })]) {
      const refusing: Database = { ...test.db, transaction: () => Promise.reject(fault) };
      await expect(store(spool, refusing)).rejects.toBe(fault);
    }
    expect(await spool.waiting()).toEqual(segments);
    await store(spool);
    expect(await stored()).toEqual(upTo(3));
  });

  it('are skipped if newer points displace them meanwhile', async () => {
    const { spool, segments } = await written(3);
    const db: Database = {
      ...test.db,
      async transaction(...given) {
        await spool.remove(segments.slice(0, 1));
        return test.db.transaction(...given);
      },
    };
    await store(spool, db);
    expect(await stored()).toEqual([1, 2]);
  });
});
