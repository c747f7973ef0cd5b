// The worker of the embedded database: the process answers while the worker runs, and stored points survive it.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openPglite } from '../../src/database/pglite.ts';
import { AppError } from '../../src/errors.ts';
import { copyIn } from '../copy-in.ts';
import { statement } from '../engines.ts';
import { serviceOn } from '../http/service-on.ts';
import { dataFolder } from '../process.ts';
import { csvRows } from '../rows.ts';

const POINTS = statement('select count(*) as n from audio_data');
const ENDLESS = statement('select count(*) as n from generate_series(1, 1e15)');
const LONG = statement('select count(*) as n from generate_series(1, 1e5)');
const LATE = { code: 'GATEWAY_TIMEOUT', message: 'The query took longer than allowed' };
const STOPPED = { code: 'SERVICE_UNAVAILABLE', message: 'The embedded database has stopped' };

const LIMIT_MS = 60_000;

/** Opens the database on a folder. `workers` lists its workers so far. */
async function open() {
  const workers: Worker[] = [];
  const add = (worker: Worker) => void workers.push(worker);
  process.on('worker', add);
  const db = await openPglite({ dataDir: dataFolder(), queryTimeoutMs: LIMIT_MS });
  onTestFinished(async () => {
    process.off('worker', add);
    await db.close();
  });
  return { db, workers };
}

/** From now on, the test decides when the limit passes. */
function holdTime(): () => Promise<unknown> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return () => vi.advanceTimersByTimeAsync(LIMIT_MS);
}

describe('A statement of the embedded database that takes too long', () => {
  it('delays only database queries, and is ended each time; the other queries get answers, and no point is lost', async () => {
    const { db, workers } = await open();
    await copyIn(db, csvRows(7));
    const url = await serviceOn(db);
    const passLimit = holdTime();
    const late = expect(db.query(ENDLESS)).rejects.toMatchObject(LATE);
    const waiting = [db.query(POINTS), db.query(POINTS)];
    for (const path of ['/api/v1/health/live', '/api/v1/openapi.json'])
      expect((await fetch(url + path)).status).toBe(200);
    expect(workers).toHaveLength(1);
    await passLimit();
    await late;
    expect(await Promise.all(waiting)).toEqual([[{ n: 7 }], [{ n: 7 }]]);
    expect(workers).toHaveLength(2);
    expect(await copyIn(db, csvRows(1))).toBe(1);
    const read = expect(db.query(ENDLESS)).rejects.toMatchObject(LATE);
    await passLimit();
    await read;
    expect(await db.query(POINTS)).toEqual([{ n: 8 }]);
    expect(workers).toHaveLength(3);
  });

  it('rejects at once if its caller leaves; neither that nor a long import ends a worker', async () => {
    const { db, workers } = await open();
    const passLimit = holdTime();
    const [gone, late] = [new Error('gone'), new AppError('GATEWAY_TIMEOUT', 'The query took too long')];
    const leave = async (left: Promise<unknown>, leaving: AbortController, reason: Error) => {
      const waiting = expect(db.query(POINTS, {}, leaving.signal)).rejects.toBe(reason);
      const rejected = expect(left).rejects.toBe(reason);
      leaving.abort(reason);
      await Promise.all([rejected, waiting]);
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const whole = db.query(LONG, {}, first.signal);
    const next = db.query(POINTS);
    await leave(whole, first, gone);
    expect(await next).toEqual([{ n: 0 }]);
    await expect(db.query(POINTS, {}, AbortSignal.abort(gone))).rejects.toBe(gone);

    let isStored = false;
    const storing = copyIn(db, csvRows(20_000)).finally(() => {
      isStored = true;
    });
    while (!isStored) await passLimit();
    expect(await storing).toBe(20_000);

    await leave(db.query(ENDLESS, {}, second.signal), second, late); // rejects while the worker runs, before the limit
    expect(workers).toHaveLength(1);
    await passLimit(); // to close
  });
});

describe('Closing the embedded database', () => {
  it('answers earlier queries, and refuses later ones', async () => {
    const db = await openPglite({ template: inject('pgliteTemplate') });
    const pending = [db.query(LONG), db.query(POINTS)];
    const closed = db.close();
    await expect(db.query(POINTS)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(db.ready()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await Promise.all(pending)).toEqual([[{ n: 100_000 }], [{ n: 0 }]]);
    await closed;
  });
});

describe('The embedded database whose worker ends', () => {
  it.each([
    ['while it works', true],
    ['while it has nothing to do', false],
  ])('%s has stopped, and reports it', async (_, isWorking) => {
    const { db, workers } = await open();
    await copyIn(db, csvRows(3));
    const pending = isWorking ? expect(db.query(ENDLESS)).rejects.toMatchObject(STOPPED) : undefined;
    const waiting = isWorking ? expect(db.query(POINTS)).rejects.toMatchObject(STOPPED) : undefined;
    const [worker] = workers;
    if (!worker) throw new Error('No worker was seen');
    const ended = once(worker, 'exit');
    await worker.terminate();
    await ended;
    await pending;
    await waiting;
    await expect(db.query(POINTS)).rejects.toMatchObject(STOPPED);
    await expect(copyIn(db, csvRows(1))).rejects.toMatchObject(STOPPED);
    await expect(db.ready()).rejects.toMatchObject(STOPPED);
    await db.close();
  });

  it('by a fault that PGlite answers without rows has also stopped', async () => {
    const { db } = await open();
    await copyIn(db, csvRows(3));
    await expect(db.run("copy (select 1) to program 'cat'")).rejects.toMatchObject(STOPPED);
    await expect(db.query(POINTS)).rejects.toMatchObject(STOPPED);
  });
});
