import { expect, inject, it } from 'vitest';
import { reasonOf } from '../../src/database/unreachable-reason.ts';
import { copyIn } from '../copy-in.ts';
import { describeServer, statement } from '../engines.ts';
import { call } from '../in-process.ts';
import { messageOf } from '../recorder/run.ts';
import { csvRows } from '../rows.ts';
import { arrangements } from './arrangements.ts';

const { closers, empty, open } = arrangements();

const reason = (work: Promise<unknown>) => work.then(() => 'done', reasonOf);
/** The SQL at the end of a message. */
const statementsOf = (message: string) => message.slice(message.search(/grant [a-z, ]+ on/));

describeServer(inject('timescale') ? 'timescale' : 'postgres', 'A right that is missing', (_, server) => {
  it('is reported by migrate with the statement that grants it, until no right is missing', async () => {
    const { name, owner, run, addRole } = await empty(server);
    const role = `Own "${name}"`;
    const { url, quoted } = await addRole(role);
    await owner.query(`revoke connect on database ${name} from public`);
    const given: string[] = [];
    for (;;) {
      const message = await messageOf(run({ url }));
      if (message === 'no error' || given.length > 5) break;
      given.push(statementsOf(message));
      await owner.query(statementsOf(message));
    }
    closers.push(() => owner.query(`revoke all on database ${name} from ${quoted}`));
    expect(given).toEqual([
      `grant connect on database "${name}" to ${quoted};`,
      `grant create on database ${name} to ${quoted}; grant usage, create on schema public to ${quoted};`,
    ]);
  });

  const POINT = 'time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00Z,-20,440,false\n';

  /** Imports a point. @returns the message of the fault, if any */
  async function imported(url: string): Promise<string | undefined> {
    const command = call(['import', '-', '--add'], { DATABASE_URL: url });
    command.write(POINT);
    const fault = await command.ended;
    return fault instanceof Error ? fault.message : undefined;
  }

  it('is granted by the next migration to a role that may insert', async () => {
    const { name, owner, run, addRole } = await empty(server);
    await run();
    const { url, quoted } = await addRole(`Writer "${name}"`);
    await owner.query(`grant select, insert on audio_data to ${quoted}`);
    expect(await imported(url)).toContain('permission denied');
    await run();
    expect(await imported(url)).toBeUndefined();
  });

  it('of an import is granted by the statements that its fault names', async () => {
    const { name, owner, run, addRole } = await empty(server);
    await run();
    const { url, quoted } = await addRole(`writer_${name}`);
    await owner.query(`grant usage on schema drizzle to ${quoted};
      grant select on drizzle.__drizzle_migrations, audio_data, audio_data_1min to ${quoted}`);
    const message = (await imported(url)) ?? '';
    expect(message).toContain('grant select on public.audio_data_refreshes');
    await owner.query(statementsOf(message));
    expect(await imported(url)).toBeUndefined();
  });

  it('to store points is not granted to the role of a service: the command is for the owner', async () => {
    const { name, run, addRole } = await empty(server);
    await run();
    const role = `reader_${name}`;
    const { url } = await addRole(role);
    await run({ readerRole: role });
    for (const fault of [await imported(url), await messageOf(copyIn(open(url), csvRows(1)))]) {
      expect(fault).toContain(`${role} only reads. Run this as the owner`);
      expect(fault).not.toContain('grant');
    }
  });

  it('of a query is named with the command that grants it', async () => {
    const { name, run, addRole } = await empty(server);
    await run();
    const { url } = await addRole(`reader_${name}`);
    expect(await messageOf(open(url).query(statement('select from audio_data_station')))).toMatch(
      /^permission denied for table audio_data_station\. Run `npm run migrate`/,
    );
  });

  it('is the ownership if the tables belong to another role', async () => {
    const { name, owner, run, addRole } = await empty(server);
    await run();
    const { url, quoted } = await addRole(`other_${name}`);
    await owner.query(
      `grant create on database ${name} to ${quoted}; grant all on schema public, drizzle to ${quoted}`,
    );
    closers.push(() => owner.query(`revoke all on database ${name} from ${quoted}`));
    const message = await messageOf(run({ url }));
    expect(message).toContain(`The tables belong to postgres: migrate as postgres, not as other_${name}`);
  });

  it('is reported by the checks of a service and of a recorder', async () => {
    const { name, owner, run, addRole } = await empty(server);
    await run();
    const { url, quoted } = await addRole(`reader_${name}`);
    const before = await reason(open(url).ready());
    expect(before).toContain(`Run \`npm run migrate\` with READER_ROLE=${quoted.slice(1, -1)}`);
    await owner.query(statementsOf(before));
    const db = open(url);
    await db.ready();
    const stores = await messageOf(copyIn(db, csvRows(1)));
    expect(statementsOf(stores)).toContain(`grant insert on public.audio_data to reader_${name}`);
    await owner.query(statementsOf(stores));
    expect(await copyIn(db, csvRows(1))).toBe(1);
  });
});
