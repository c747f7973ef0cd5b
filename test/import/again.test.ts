// Files that overlap existing points, and the removal of points, on every database and beside a running service.
import { afterEach, expect, it } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import { openOwnerSocket } from '../../src/database/embedded/owner-socket.ts';
import { openOwned } from '../../src/database/pglite.ts';
import { deleteCommand } from '../../src/recorder/delete.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { createRun, file, importCsv, messageOf } from '../recorder/run.ts';
import { filesOf, openTestSpool } from '../recorder/spool/segments.ts';

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
const csv = (level: number, ...seconds: number[]) =>
  file(`time,rms_db,frequency_hz,is_silence\n${seconds.map((s) => `${at(s)},${level},,false\n`).join('')}`);

describeEachEngine('Points', (engine) => {
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql('truncate audio_data'));

  const stored = async () =>
    (
      await test.sql('select extract(epoch from time)::int % 60 as s, rms_db from audio_data order by 1, 2')
    ).map(({ s, rms_db }) => [s, rms_db]);
  const levels = (level: number, ...seconds: number[]) => seconds.map((s) => [s, level]);

  /** Commands on this database, and what each says. */
  async function open() {
    const spool = await openTestSpool();
    const run = createRun({ onto: test.db });
    const io = { ...run.io, openSpool: async () => spool };
    const said = async (command: Promise<unknown>) => {
      run.lines.length = 0;
      const message = await messageOf(command);
      return [...run.lines, message];
    };
    return {
      import: (...args: string[]) => said(importCsv(args, io)),
      delete: (...args: string[]) =>
        said(strictly(deleteCommand(() => io)).parseAsync(args, { from: 'user' })),
      spool,
    };
  }

  const nothing = 'no error';
  it('of a file are not doubled', async () => {
    const command = await open();
    const path = csv(-20, 1, 2, 3);
    const storedLine = `Stored 3 points, ${at(1)} to ${at(3)}.`;
    expect(await command.import(path)).toEqual([storedLine, nothing]);
    expect(await command.import(path)).toEqual([
      `${path} was not stored: its time already has 3 points, ${at(1)} to ${at(3)}. --replace replaces them, --add keeps both`,
    ]);
    expect(await stored()).toEqual(levels(-20, 1, 2, 3));
    expect(await command.import(csv(-20, 4, 5))).toEqual([`Stored 2 points, ${at(4)} to ${at(5)}.`, nothing]);
    expect(await command.import(csv(-30, 3, 4), '--add')).toEqual([
      `Stored 2 points, ${at(3)} to ${at(4)}.`,
      nothing,
    ]);
    expect(await stored()).toHaveLength(7);
    expect(filesOf(command.spool)).toEqual([]);
  });

  it('of a file replace the points that it overlaps, all or none', async () => {
    const command = await open();
    await command.import(csv(-20, 1, 2, 3, 4, 5));
    expect(await command.import(csv(-30, 2, 4), '--replace')).toEqual([
      `Stored 2 points, ${at(2)} to ${at(4)}. They replaced 3 points, ${at(2)} to ${at(4)}.`,
      nothing,
    ]);
    const now = [...levels(-20, 1), ...levels(-30, 2, 4), ...levels(-20, 5)];
    expect(await stored()).toEqual(now);
    await test.sql('alter table audio_data add constraint quiet check (rms_db < -9)');
    expect((await command.import(csv(-5, 1, 5), '--replace')).at(-1)).toMatch(/quiet/);
    await test.sql('alter table audio_data drop constraint quiet');
    expect(await stored()).toEqual(now);
    expect(await command.import(csv(-9, 40), '--replace')).toEqual([
      `Stored 1 point, ${at(40)} to ${at(40)}.`,
      nothing,
    ]);
  });

  it('of several files are stored, except files that are stored already', async () => {
    const command = await open();
    const [one, two, three] = [csv(-20, 1, 2), csv(-20, 3), csv(-20, 5)];
    await command.import(two);
    expect(await command.import(one, two, three)).toEqual([
      `${one}: Stored 2 points, ${at(1)} to ${at(2)}.`,
      expect.stringContaining(`${two} was not stored: its time already has 1 point, ${at(3)} to ${at(3)}. `),
      `${three}: Stored 1 point, ${at(5)} to ${at(5)}.`,
      '1 of 3 files were not stored',
    ]);
    expect(await stored()).toEqual(levels(-20, 1, 2, 3, 5));
    const across = csv(-30, 2, 4);
    expect(await command.import(one, across, '--replace')).toEqual([
      `${across} has points at ${at(2)}, before ${one} ends at ${at(2)}. With --replace it would remove points of ${one}: give files whose times do not overlap`,
    ]);
    expect(await stored()).toEqual(levels(-20, 1, 2, 3, 5));
  });

  it('are removed only with confirmation', async () => {
    const command = await open();
    await command.import(csv(-20, 1, 2, 3, 4));
    const interval = ['--from', at(2), '--to', at(4)];
    expect(await command.delete(...interval)).toEqual([
      `Nothing was deleted. --yes deletes 2 points, ${at(2)} to ${at(3)}`,
    ]);
    expect(await stored()).toEqual(levels(-20, 1, 2, 3, 4));
    expect(await command.delete(...interval, '--yes')).toEqual([
      `Deleted 2 points, ${at(2)} to ${at(3)}.`,
      nothing,
    ]);
    expect(await stored()).toEqual(levels(-20, 1, 4));
    expect(await command.delete(...interval)).toEqual(['There are no points in this interval.', nothing]);
    expect(await command.delete('--to', 'now')).toEqual([
      expect.stringMatching(
        /^Required option '--from <TIME>' not specified\n--from <TIME>: .* an RFC 3339 time/,
      ),
    ]);
    expect(await command.delete('--from', at(4), '--to', at(4))).toEqual([
      '--from: must be earlier than --to',
    ]);
    expect(filesOf(command.spool)).toEqual([]);
  });

  // only an embedded database is shared
  if (engine.name === 'PGlite')
    it("beside a service are stored while live points wait for another recorder's lease", async () => {
      const { io } = createRun();
      const [spool, folder] = [await openTestSpool(), temporaryFolder()];
      const log = { info() {}, warn: () => expect.unreachable() };
      const owner = await openOwnerSocket(folder, test.db, log, () => () => {});
      await spool.write([`${at(9)},-20,,false\n`], { coversMs: 1000 });
      await test.sql("insert into audio_data_spools values ('other', '', now() + interval '1 hour')");
      const openDatabase = async () => (await openOwned(folder)) ?? expect.unreachable();
      await importCsv([csv(-20, 7)], {
        ...io,
        database: 'embedded',
        openSpool: async () => spool,
        openDatabase,
      });
      await test.sql("delete from audio_data_spools where spool = 'other'");
      expect([await stored(), (await spool.waiting()).length]).toEqual([levels(-20, 7), 1]);
      await owner.close();
    });

  it('of a file are stored once if another import stores them meanwhile', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    const path = csv(-20, 11, 12);
    const printed = await Promise.all([first.import(path), second.import(path)]);
    expect(printed.filter((lines) => lines.at(-1) === nothing)).toHaveLength(1);
    expect(await stored()).toEqual(levels(-20, 11, 12));
  });
});

describeEachEngine('Many points', (engine) => {
  const test = openForAll(() => engine.open());
  it('are replaced even in the columnstore', async () => {
    await test.sql(
      `insert into audio_data select '2026-01-01T00:00:00Z'::timestamptz + n * interval '0.1 s', -20, 440, false from generate_series(0, 14999) as n`,
    );
    if (engine.name === 'TimescaleDB')
      await test.sql(`select compress_chunk(chunk, true) from show_chunks('audio_data') as chunk`);
    const run = createRun({ onto: test.db });
    await importCsv([csv(-30, 0, 59), '--replace'], run.io);
    const end = '2026-01-01T00:15:00Z';
    const command = strictly(deleteCommand(() => run.io));
    await command.parseAsync(['--from', at(1), '--to', end, '--yes'], { from: 'user' });
    // a slow deletion also reports its progress
    expect(run.lines.filter((line) => !line.endsWith('so far'))).toEqual([
      `Stored 2 points, ${at(0)} to ${at(59)}. They replaced 591 points, ${at(0)} to ${at(59)}.`,
      `Deleted 8,410 points, ${at(59)} to 2026-01-01T00:14:59.900000Z.`,
    ]);
    expect(await test.sql('select count(*)::int as n from audio_data')).toEqual([{ n: 6001 }]);
  });
});
