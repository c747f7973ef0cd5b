import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { onceFree } from '../../src/cli/open-database.ts';
import { FolderInUse } from '../../src/database/faults.ts';
import { withClient } from '../cluster.ts';
import { createDatabase, describeServer, openForAll } from '../engines.ts';
import { call, serve } from '../in-process.ts';
import { dataFolder, NO_DATABASE, start } from '../process.ts';
import { after, startProxy } from '../tampering-proxy.ts';

const MANY = `insert into audio_data (time, rms_db)
  select '2026-01-01Z'::timestamptz + n * interval '10 ms', -1 from generate_series(0, 299999) n`;
const EXPORT = '/api/v1/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

async function request(url: string, agent?: Agent): Promise<IncomingMessage> {
  const [response] = await once(get(url, agent ? { agent } : {}), 'response');
  return response;
}

async function text(response: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of response) body += piece;
  return body;
}

const status = async (url: string) => (await fetch(url)).status;

describe('The service on the embedded database', () => {
  it('starts with only a folder configured, and locks it', async () => {
    const DATA_DIR = dataFolder();
    const { address } = await serve({ DATA_DIR });
    expect(await status(`${address}/api/v1/health/ready`)).toBe(200);
    expect(await status(`${address}/api/v1/stats/summary?period=30d`)).toBe(200);
    await expect(serve({ DATA_DIR })).rejects.toThrow(`${DATA_DIR} is in use by another process`);
  });

  it('waits a while for a folder that another process holds', async () => {
    const open = vi.fn(async () => 'open').mockRejectedValueOnce(new FolderInUse());
    expect(await onceFree(open, 60_000)).toBe('open');
  });

  it('warns once of a variable that it no longer reads, and starts', async () => {
    const service = start(['serve'], { DATABASE_URL: NO_DATABASE, MAX_WAIT_MS: 'long' });
    await service.address();
    expect(service.output().match(/MAX_WAIT_MS is no longer read[^"]*/g)).toHaveLength(1);
  });
});

describeServer('postgres', 'The service', (_, server) => {
  async function database(template = server.template): Promise<string> {
    const { url, drop } = await createDatabase(server, template);
    onTestFinished(drop);
    return url;
  }

  /** A table with more points than sockets can buffer. */
  const filled = openForAll(async () => {
    const { url, drop } = await createDatabase(server, server.template);
    await withClient(url, (client) => client.query(MANY));
    return { url, close: drop };
  });

  // in its own process, for the exit code
  it('refuses an older schema, names the command, and starts once it has run', async () => {
    const DATABASE_URL = await database('template0');
    const refused = start(['serve'], { DATABASE_URL });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('npm run migrate');
    expect(await start(['migrate'], { DATABASE_URL }).ended).toBe(0);
    const { address } = await serve({ DATABASE_URL });
    expect(await status(`${address}/api/v1/health/ready`)).toBe(200);
  });

  it('must build many rollups after an import, and the import says so', async () => {
    const DATABASE_URL = await database();
    await withClient(DATABASE_URL, async (client) => {
      await client.query("select pg_advisory_lock(728110424, 'audio_data'::regclass::oid::int)"); // as if another process were refreshing
      const command = call(['import', '-'], { DATABASE_URL });
      const times = Array.from({ length: 61 }, (_, minute) =>
        new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      );
      command.write(
        `time,rms_db,frequency_hz,is_silence\n${times.map((time) => `${time},-20,440,false\n`).join('')}`,
      );
      expect(await command.ended).toBeUndefined();
      expect(command.output()).toContain('61 minutes are still to be recounted for the rollups');
    });
  });

  // in its own process, because the test sends signals
  it('finishes requests in flight after SIGTERM, also on a keep-alive connection, and then exits', async () => {
    const service = start(['serve'], { DATABASE_URL: filled.url });
    const address = await service.address();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await text(await request(`${address}/api/v1/health/live`, agent));
    const response = await request(`${address}${EXPORT}`, agent);
    response.pause();
    service.kill('SIGTERM');
    await expect
      .poll(() =>
        fetch(address).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    expect((await text(response)).split('\n')).toHaveLength(300_002);
    expect(await service.ended).toBe(0);
    agent.destroy();
  });

  it('keeps serving for SHUTDOWN_DELAY_MS after SIGTERM, but is not ready', async () => {
    const service = start(['serve'], { DATABASE_URL: filled.url, SHUTDOWN_DELAY_MS: '600000' });
    const address = await service.address();
    expect(await status(`${address}/api/v1/health/ready`)).toBe(200);
    service.kill('SIGTERM');
    await expect.poll(() => status(`${address}/api/v1/health/ready`)).toBe(503);
    expect(await status(`${address}/api/v1/audio/latest`)).toBe(200);
  });

  it('ends at the deadline, even if a client does not read', async () => {
    const service = start(['serve'], { DATABASE_URL: filled.url, SHUTDOWN_TIMEOUT_MS: '300' });
    const address = await service.address();
    const response = await request(`${address}${EXPORT}&format=ndjson`);
    response.on('error', () => {}).pause();
    expect(response.statusCode).toBe(200);
    service.kill('SIGTERM');
    expect(await service.ended).toBe(1);
  });

  it('starts without its database, and recovers each time the database returns', async () => {
    const line = await startProxy(await database());
    onTestFinished(line.close);
    const unplug = () => line.tamper(after(0, (near) => void near.resetAndDestroy()));
    unplug();
    const { address, stop, output } = await serve({ DATABASE_URL: line.url, SHUTDOWN_DELAY_MS: '10' });
    const ready = () => status(`${address}/api/v1/health/ready`);
    const latest = () => status(`${address}/api/v1/audio/latest`);
    for (let round = 0; round < 2; round++) {
      expect([await ready(), await latest(), await status(`${address}/api/v1/health/live`)]).toEqual([
        503, 503, 200,
      ]);
      line.tamper(undefined);
      await expect.poll(ready).toBe(200);
      expect(await latest()).toBe(200);
      unplug();
      await expect.poll(ready).toBe(503);
    }
    const logged = (text: string) => output().split(text).length - 1;
    expect(logged('"msg":"The database is not ready: the service answers 503 until it is"')).toBe(3);
    expect(logged('"msg":"The database answers again"')).toBe(2);
    expect(logged('"stack"')).toBe(0);
    await stop();
    await expect(fetch(address)).rejects.toThrow();
  });
});
