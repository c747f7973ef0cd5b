import { expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { withClient } from '../cluster.ts';
import { arrangements } from '../database/arrangements.ts';
import { describeServer } from '../engines.ts';
import { createTestApp } from '../service.ts';

const { closers, database } = arrangements();

/** The oldest version that the server can update to its default version. */
const OLDER = `
  select versions.version from pg_available_extension_versions as versions
  join pg_available_extensions as available using (name)
  join pg_extension_update_paths('timescaledb') on source = versions.version and target = default_version
  where name = 'timescaledb' and versions.version <> default_version and path is not null
    and string_to_array(versions.version, '.')::int[] >= array[2, 28]
  order by string_to_array(versions.version, '.')::int[] limit 1`;

const PATHS = [
  ...['summary?period=1h', 'summary?period=24h', 'series?from=now-6h&to=now'].map((path) => `stats/${path}`),
  ...['audio/latest', 'audio/range?from=now-1h&to=now&limit=100', 'events/loud', 'events/list?from=now-6h'],
  ...['export/csv?from=now-10m&to=now', 'service/info', 'health/ready'],
];

describeServer('timescale', 'An update of TimescaleDB under the service', (_, server) => {
  it('causes no status but 200, or 503 with Retry-After, and afterwards only 200', async ({ skip }) => {
    const older = (await withClient(server.url, (client) => client.query(OLDER))).rows[0]?.version;
    if (!older) skip('this server offers no older version of TimescaleDB');
    const { url, owner } = await database(server);
    await owner.query(`create extension timescaledb version '${older}'`);
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
    await migrate({ url, log });
    expect(warnings.filter((each) => each.includes('alter extension timescaledb update'))).toEqual([
      expect.stringContaining(`This database has TimescaleDB ${older}, and the server offers`),
    ]);
    await owner.query(`insert into audio_data
      select '2026-03-01T12:00:00Z'::timestamptz - n * interval '1 second', -n % 50, 440, false
      from generate_series(0, 40000) n`);
    const { app } = await createTestApp(url);
    closers.push(() => app.close());
    const service = await app.listen({ host: '127.0.0.1', port: 0 });

    const seen: { path: string; status: number }[] = [];
    let isOver = false;
    async function get(path: string): Promise<void> {
      const answer = await fetch(`${service}/api/v1/${path}`);
      const isPlain = answer.status === 503 && answer.headers.has('retry-after');
      await answer.text().catch(() => expect(path).toMatch(/^export/)); // an export breaks off instead of ending early
      if (answer.status !== 200 && !isPlain) expect({ path, status: answer.status }).toBe('200 or 503');
      seen.push({ path, status: answer.status });
    }
    const polling = Promise.all(
      [...PATHS, ...PATHS].map(async (path) => {
        while (!isOver) await get(path);
      }),
    );
    polling.catch(() => {}); // awaited below
    await expect.poll(() => seen.length).toBeGreaterThan(60);
    expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
    await withClient(url, (client) => client.query('alter extension timescaledb update'));
    const before = seen.length;
    await expect.poll(() => seen.length).toBeGreaterThan(before + 400);
    isOver = true;
    await polling;
    warnings.length = 0;
    await migrate({ url, log });
    expect(warnings).toEqual([]);
    expect(seen.slice(before + 200).filter(({ status }) => status !== 200)).toEqual([]);
  });
});
