// The embedded database through the socket of the process that holds it.
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { holdFolder } from '../../src/database/data-folder.ts';
import { connectToOwner, openOwnerSocket } from '../../src/database/embedded/owner-socket.ts';
import { inSchema } from '../../src/database/in-schema.ts';
import { openOwned, openPglite } from '../../src/database/pglite.ts';
import { openForAll, statement } from '../engines.ts';
import { temporaryFolder } from '../process.ts';

const memory = openForAll(() => openPglite({ template: inject('pgliteTemplate') }));
beforeEach(async () => void (await memory.run('truncate audio_data')));

const LOG = { info() {}, warn: () => expect.unreachable() };
const COUNT = statement<{ n: number }>('select count(*)::int as n from audio_data');
const count = () => memory.query(COUNT).then(([row]) => row?.n);

let clients = 0;
async function open(patienceMs?: number) {
  const folder = temporaryFolder();
  const hold = () => {
    clients += 1;
    return () => {
      clients -= 1;
    };
  };
  const owner = await openOwnerSocket(folder, memory, LOG, hold, patienceMs);
  const db = (await openOwned(folder)) ?? expect.unreachable();
  onTestFinished(async () => {
    await db.close();
    await owner.close();
  });
  return { folder, owner, db };
}

const rows = (...seconds: number[]) =>
  seconds
    .map((second) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z,-20,440,false\n`)
    .join('');

it('answers as the database itself does', async () => {
  const { db } = await open();
  await db.transaction(async ({ copy }) => expect(await copy(rows(1, 2))).toBe(2));
  const select = statement(
    `select time, rms_db, null as none, 9007199254740993 as large, '\u2028\n' as text from audio_data`,
  );
  expect(await db.query(select)).toEqual(await memory.query(select));
  const values = { ...select, text: 'select $1::text as a, $2::int + 1 as b', parameters: ['a', 'b'] };
  expect(await db.query(values, { a: "it's", b: 41 })).toEqual([{ a: "it's", b: 42 }]);
  await expect(db.query(statement('select no_such'))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE', // a missing relation: the owner explains the error
    message: expect.stringContaining('The database lacks a part of the schema'),
  });
  const lost = inSchema(db, 'lost', () => new Error('There is no station lost'));
  await expect(lost.query(statement('select from "@station".audio_data'))).rejects.toThrow(
    'There is no station lost',
  );
  const divided = await db.query(statement('select 1 / 0')).catch((error) => error);
  expect(divided).toMatchObject({ code: '22012', message: 'division by zero' });
  expect(await db.run('select 1 as one', [])).toEqual([{ one: 1 }]);
  await db.ready();
});

it('runs a transaction as a whole or not at all, and shows it to others at its end', async () => {
  const { db } = await open();
  const read: Promise<number | undefined>[] = [];
  await db.transaction(async ({ run, copy }) => {
    await copy(rows(1));
    read.push(count()); // waits for the transaction before it
    await run('insert into audio_data values ($1, -1, null, false)', ['2026-01-02T00:00:00Z']);
    await copy(rows(2));
  });
  expect(await read[0]).toBe(3);
  const fault = new Error('changed my mind');
  const failing = db.transaction(async ({ copy }) => {
    await copy(rows(3));
    throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  const refused = db.transaction(async ({ copy }) => {
    await copy(rows(4));
    await copy(rows(61)); // no minute has 61 seconds
  });
  await expect(refused).rejects.toMatchObject({ code: '22008' });
  expect(await count()).toBe(3);
  await db.transaction(({ copy }) => copy(rows(5)));
  expect(await count()).toBe(4);
});

it('rolls back the transaction of a client that disconnects or stalls', async () => {
  const { db, folder } = await open(20);
  const leaving = (await connectToOwner(folder)) ?? expect.unreachable();
  await leaving.send({ kind: 'begin' });
  await leaving.send({
    kind: 'query',
    text: 'insert into audio_data values (now(), -1, null, false)',
    values: [],
  });
  const waiting = count();
  await leaving.kill();
  expect(await waiting).toBe(0);

  const stopping = (await connectToOwner(folder)) ?? expect.unreachable();
  await stopping.send({ kind: 'begin' });
  expect(await count()).toBe(0); // once the owner stops waiting
  await expect(stopping.send({ kind: 'commit' })).rejects.toThrow(
    `the process that held ${folder} has ended`,
  );
  expect(await db.query(COUNT)).toEqual([{ n: 0 }]);
});

it('takes back what a client left in the session: a transaction, settings and tables', async () => {
  const { folder, db } = await open();
  const shown = statement(
    `select current_setting('search_path') as path, current_setting('timezone') as zone,
       (select count(*)::int from audio_data) as points, to_regclass('pg_temp.kept') is null as tidy`,
  );
  const before = await db.query(shown);
  for (const left of [
    `set search_path = pg_catalog; set timezone = 'Asia/Kolkata'; create temporary table kept ()`,
    `begin; insert into audio_data values (now(), -1, null, false); set search_path = pg_catalog`,
    'begin; select 1 / 0',
  ]) {
    const client = (await connectToOwner(folder)) ?? expect.unreachable();
    await client.send({ kind: 'script', text: left }).catch((error) => expect(error.code).toBe('22012'));
    const others = clients;
    await client.kill();
    await expect.poll(() => clients).toBe(others - 1);
    expect(await db.query(shown)).toEqual(before);
  }
  expect(before).toEqual([{ path: 'public', zone: 'UTC', points: 0, tidy: true }]);
});

it('reports to a client that the owner has ended and rolled back its transaction', async () => {
  const { db, owner } = await open();
  const begun = db.transaction(async ({ copy }) => {
    await copy(rows(1));
    await owner.close();
    await copy(rows(2));
  });
  await expect(begun).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The embedded database has stopped',
  });
  expect(await count()).toBe(0);
});

it('serves its clients to the end if the owner waits for them', async () => {
  const { db, owner } = await open();
  let isLeft = false;
  const left = owner.left().then(() => {
    isLeft = true;
  });
  await db.transaction(({ copy }) => copy(rows(1)));
  expect(isLeft).toBe(false);
  expect(clients).toBe(1);
  await db.close();
  await left;
  expect([clients, await count()]).toEqual([0, 1]);
});

it('refuses an unknown request, and a process of another version', async () => {
  const { folder, db } = await open();
  const socket = connect(join(folder, 'socket'));
  socket.write('what is this\n');
  await new Promise((resolve) => socket.resume().once('close', resolve));
  const strange = (await connectToOwner(folder)) ?? expect.unreachable();
  await expect(strange.send({ kind: 'close' })).rejects.toThrow('Unknown request: close');
  await strange.close();
  expect(await db.query(COUNT)).toEqual([{ n: 0 }]);

  const other = temporaryFolder();
  const server = createServer((client) => client.end('{"protocol":3}\n')).listen(join(other, 'socket'));
  onTestFinished(() => void server.close());
  await expect(connectToOwner(other)).rejects.toThrow(`The process that holds ${other} runs another version`);
  expect(await connectToOwner(temporaryFolder())).toBeUndefined();
});

it('is refused in a folder whose path is too long', () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100));
  expect(() => holdFolder(folder)).toThrow(
    `The path of the data folder ${folder} is too long for the socket in it: ${folder.length + 7} bytes, and systems allow 103. Set DATA_DIR`,
  );
});
