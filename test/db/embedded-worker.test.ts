// The worker of the embedded database: the process answers while it works, and what it stored outlives it.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openPglite, type PgliteOptions } from '../../src/db/pglite.ts';
import { AppError } from '../../src/errors.ts';
import { statement } from '../engines.ts';
import { serviceOn } from '../http/service-on.ts';
import { dataFolder } from '../process.ts';
import { csvRows } from '../rows.ts';

const POINTS = statement('select count(*) as n from audio_data');
const ENDLESS = statement('select count(*) as n from generate_series(1, 1e15)');
const LONG = statement('select count(*) as n from generate_series(1, 3e6)');
const LATE = { code: 'GATEWAY_TIMEOUT', message: 'The query took longer than is allowed' };
const STOPPED = { code: 'SERVICE_UNAVAILABLE', message: 'The embedded database has stopped' };

/** Opens the database, which closes after the test. `workers` are those that it has had. */
async function open(options: PgliteOptions) {
  const workers: Worker[] = [];
  const add = (worker: Worker) => void workers.push(worker);
  process.on('worker', add);
  const db = await openPglite(options);
  onTestFinished(async () => {
    process.off('worker', add);
    await db.close();
  });
  return { db, workers };
}
const onFolder = (queryTimeoutMs?: number) => open({ dataDir: dataFolder(), queryTimeoutMs });
const inMemory = () => open({ template: inject('pgliteTemplate') });

describe('A statement of the embedded database that takes too long', () => {
  it('holds up nobody but who asks the database, and is ended; the others are answered, and no point is lost', async () => {
    const { db, workers } = await onFolder(3000);
    await db.copyIn(csvRows(7));
    const url = await serviceOn(db);
    const order: string[] = [];
    const late = expect(db.query(ENDLESS)).rejects.toMatchObject(LATE);
    const ended = late.then(() => order.push('ended'));
    const waiting = [db.query(POINTS), db.query(POINTS)].map((answer) =>
      answer.finally(() => order.push('answered')),
    );
    for (const path of ['/api/v1/health/live', '/api/v1/openapi.json']) {
      expect((await fetch(url + path)).status).toBe(200);
      order.push(path);
    }
    await ended;
    expect(await Promise.all(waiting)).toEqual([[{ n: 7 }], [{ n: 7 }]]);
    const free = ['/api/v1/health/live', '/api/v1/openapi.json'];
    expect(order).toEqual([...free, 'ended', 'answered', 'answered']);
    expect(workers).toHaveLength(2);
    expect(await db.copyIn(csvRows(1))).toBe(1);
    expect(await db.query(POINTS)).toEqual([{ n: 8 }]);
  });

  it('is ended each time', async () => {
    const { db, workers } = await onFolder(1000);
    for (let n = 1; n <= 3; n++) {
      await db.copyIn(csvRows(1));
      await expect(db.readRows(ENDLESS)).rejects.toMatchObject(LATE);
      expect(await db.query(POINTS)).toEqual([{ n }]);
    }
    expect(workers).toHaveLength(4);
  });

  it('goes on where its caller leaves, who is told at once: whoever asks and leaves ends no worker', async () => {
    const { db, workers } = await onFolder(120_000);
    const reasons = [new Error('gone'), new AppError('GATEWAY_TIMEOUT', 'The question took too long')];
    for (const reason of reasons) {
      const leaving = new AbortController();
      const order: string[] = [];
      const left = expect(db.query(LONG, {}, leaving.signal)).rejects.toBe(reason);
      const next = db.query(POINTS).then(() => order.push('next'));
      const waiting = expect(db.query(POINTS, {}, leaving.signal)).rejects.toBe(reason);
      setImmediate(() => leaving.abort(reason));
      await left;
      await waiting;
      order.push('left');
      await next;
      expect(order).toEqual(['left', 'next']);
    }
    expect(workers).toHaveLength(1);
    await expect(db.query(POINTS, {}, AbortSignal.abort(reasons[0]))).rejects.toBe(reasons[0]);
  });

  it('may be an import: what is stored is never ended', async () => {
    const { db, workers } = await onFolder(20);
    expect(await db.copyIn(csvRows(100_000))).toBe(100_000);
    expect(workers).toHaveLength(1);
  });
});

describe('Closing the embedded database', () => {
  it('answers what was asked before, and refuses what is asked later', async () => {
    const { db } = await inMemory();
    const asked = [db.query(LONG), db.query(POINTS)];
    const closed = db.close();
    await expect(db.query(POINTS)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await Promise.all(asked)).toEqual([[{ n: 3_000_000 }], [{ n: 0 }]]);
    await closed;
  });
});

describe('The embedded database whose worker ends', () => {
  it.each([
    ['while it works', true],
    ['while it has nothing to do', false],
  ])('%s has stopped, and says so', async (_, isWorking) => {
    const { db, workers } = await onFolder();
    await db.copyIn(csvRows(3));
    const asked = isWorking ? expect(db.query(ENDLESS)).rejects.toMatchObject(STOPPED) : undefined;
    const waiting = isWorking ? expect(db.query(POINTS)).rejects.toMatchObject(STOPPED) : undefined;
    const [worker] = workers;
    if (!worker) throw new Error('No worker was seen');
    const ended = once(worker, 'exit');
    await worker.terminate();
    await ended;
    await asked;
    await waiting;
    await expect(db.query(POINTS)).rejects.toMatchObject(STOPPED);
    await expect(db.copyIn(csvRows(1))).rejects.toMatchObject(STOPPED);
    await expect(db.ready()).rejects.toMatchObject(STOPPED);
    await db.close();
  });

  it('by a fault of PGlite, which answers that with no rows, has stopped too', async () => {
    const { db } = await onFolder();
    await db.copyIn(csvRows(3));
    await expect(db.run("copy (select 1) to program 'cat'")).rejects.toMatchObject(STOPPED);
    await expect(db.query(POINTS)).rejects.toMatchObject(STOPPED);
  });
});
