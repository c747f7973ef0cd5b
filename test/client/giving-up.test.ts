import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeOnWire, describeServerOnWire } from '../engines.ts';
import { startTestService, type TestService } from '../service.ts';

const EVERYTHING = { from: '2000-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' };

describeOnWire('an export of the typed client', (engine) => {
  // fewer points for the embedded database, which is slow
  const count = engine.name === 'PGlite' ? 80_000 : 400_000;
  let service: TestService;
  beforeAll(async () => {
    // one connection: an export that continued would leave none for the next query
    service = await startTestService(engine, {}, { poolSize: 1, poolWaitMs: 5000 });
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '10 ms', -10, 440 from generate_series(1, ${count}) n`);
  });
  afterAll(() => service.close());

  it('ends when the reader stops early', async () => {
    const pieces: string[] = [];
    for await (const piece of await service.client.export.csv.query(EVERYTHING)) {
      pieces.push(piece);
      break;
    }
    expect(pieces[0]).toMatch(/^time,rms_db,frequency_hz,is_silence\n/);
    expect((await service.client.audio.latest.query({ limit: 1 })).points).toHaveLength(1);
    await expect.poll(exportsRunning).toBe(0);
  });

  it("ends when the call's signal aborts", async () => {
    const ending = new AbortController();
    const read = async () => {
      const csv = await service.client.export.csv.query(EVERYTHING, { signal: ending.signal });
      for await (const piece of csv) if (piece) ending.abort();
    };
    await expect(read()).rejects.toThrow();
    expect((await service.client.audio.latest.query({ limit: 1 })).points).toHaveLength(1);
    await expect.poll(exportsRunning).toBe(0);
  });

  /** The number of running exports; always 0 for the embedded database, which has no such list. */
  async function exportsRunning(): Promise<number> {
    if (service.url === undefined || engine.name === 'PGlite') return 0;
    const [row] = await service.sql(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and state = 'active' and query ilike '%audio_data%' and pid <> pg_backend_pid()",
    );
    return row.n;
  }
});

describeServerOnWire('simultaneous calls', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    // so long that only a cancellation ends a statement
    service = await startTestService(engine, {}, { queryTimeoutMs: 600_000 });
    await service.rollups.inUse();
  });
  afterAll(() => service.close());
  // statements on the table wait
  beforeEach(() => service.sql('begin; lock table audio_data in access exclusive mode'));
  afterEach(() => service.sql('rollback'));

  /** Requests this many points; `giveUp` aborts the request. */
  function request(limit: number) {
    const ending = new AbortController();
    const answer = service.client.audio.latest.query({ limit }, { signal: ending.signal });
    return { answer, giveUp: () => ending.abort() };
  }
  const running = async () =>
    (
      await service.sql(`select pg_stat_clear_snapshot(); select pid from pg_stat_activity
        where datname = current_database() and application_name = 'audio-metrics' and state <> 'idle'`)
    ).length;

  it('each resolve as soon as their answer is ready', async () => {
    const { answer } = request(1);
    await service.client.health.live.query();
    await expect.poll(running).toBe(1);
    await service.sql('rollback');
    expect(await answer).toEqual({ points: [] });
  });

  it('end when the last of them is cancelled, even if others have resolved', async () => {
    const calls = [request(1), request(2)];
    await service.client.health.live.query();
    await expect.poll(running).toBe(2);
    for (const { answer, giveUp } of calls) {
      giveUp();
      await expect(answer).rejects.toMatchObject({ cause: { name: 'AbortError' } });
    }
    await expect.poll(running).toBe(0);
  });

  it('continue if one of them is cancelled, which rejects at once', async () => {
    const [given, other] = [request(1), request(2)];
    await expect.poll(running).toBe(2);
    given.giveUp();
    await expect(given.answer).rejects.toMatchObject({ cause: { name: 'AbortError' } });
    await service.sql('rollback');
    expect(await other.answer).toEqual({ points: [] });
  });
});
