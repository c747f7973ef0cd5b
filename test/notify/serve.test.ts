// `serve --notify`: the service is its own client.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKey } from '../../src/http/edge/api-keys.ts';
import { startHook, storeLevel } from '../cli/watch/watching.ts';
import { describeServerOnWire, openForAll } from '../engines.ts';
import { start, temporaryFolder } from '../process.ts';

describeServerOnWire('serve --notify', (engine) => {
  const database = openForAll(() => engine.open());

  it('reports to the receivers of --notify and NOTIFY, even if callers need keys', async () => {
    const [given, configured] = [await startHook([]), await startHook([])];
    const DATA_DIR = temporaryFolder();
    const { key, line } = createKey('someone');
    writeFileSync(join(DATA_DIR, 'keys'), `${line}\n`);
    const args = [
      '--threshold',
      '-10',
      '--hold',
      '300ms',
      '--min-duration',
      '0s',
      '--every',
      '0s',
      '--from',
      'now-1m',
    ];
    const running = start(['serve', ...args, '--notify', given.url], {
      DATABASE_URL: database.url ?? '',
      DATA_DIR,
      API_KEYS_FILE: join(DATA_DIR, 'keys'),
      NOTIFY: configured.url,
      RATE_LIMIT: '4',
    });
    const url = await running.address();
    expect((await fetch(`${url}/api/v1/stations`)).status).toBe(401);
    const authorization = `Bearer ${key}`;
    expect((await fetch(`${url}/api/v1/stations`, { headers: { authorization } })).status).toBe(200);
    let n = 0;
    const stored = async () => {
      await storeLevel(database, n++ < 10 ? -5 : -40, 6);
      return Math.min(given.taken.length, configured.taken.length);
    };
    await expect.poll(stored, { interval: 100 }).toBeGreaterThanOrEqual(2);
    expect(await running.stop()).toBe(0);
    for (const { taken } of [given, configured])
      expect(taken.slice(0, 2).map(({ body }) => JSON.parse(body))).toMatchObject([
        { kind: 'start', peak_db: -5 },
        { kind: 'end', peak_db: -5 },
      ]);
  });
});
