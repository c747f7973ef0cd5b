import { expect, it } from 'vitest';
import { reasonOf } from '../../src/db/unreachable-reason.ts';
import { copyIn } from '../copy-in.ts';
import { describeEachServer } from '../engines.ts';
import { csvRows } from '../rows.ts';
import { arrangements } from './arrangements.ts';

const { closers, empty, open } = arrangements();

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  );
const reason = (work: Promise<unknown>) => work.then(() => 'done', reasonOf);
/** The SQL at the end of a message. */
const statementsOf = (message: string) => message.slice(message.search(/grant [a-z, ]+ on/));

describeEachServer('A right that is missing', (engine, server) => {
  it('is reported by migrate with the statement that grants it, until no right is missing', async () => {
    const { name, owner, run, addRole } = await empty(server);
    const role = `Own "${name}"`;
    const { url, quoted } = await addRole(role);
    await owner.query(`revoke connect on database ${name} from public`);
    const given: string[] = [];
    for (;;) {
      const message = await messageOf(run({ url }));
      if (message === 'done' || given.length > 5) break;
      given.push(statementsOf(message));
      await owner.query(statementsOf(message));
    }
    closers.push(() => owner.query(`revoke all on database ${name} from ${quoted}`));
    expect(given).toEqual([
      `grant connect on database "${name}" to ${quoted};`,
      `grant create on database ${name} to ${quoted}; grant usage, create on schema public to ${quoted};`,
    ]);
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
    expect(engine.available).toBe(true);
  });
});
