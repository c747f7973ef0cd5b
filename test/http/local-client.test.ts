// The client that a service gives its own notifier.
import { expect, it } from 'vitest';
import { createClient, isServiceError } from '../../src/client/index.ts';
import { createKey } from '../../src/http/edge/api-keys.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { insertPoints, startBeside } from '../service.ts';
import { makeStation } from '../stations.ts';

describeOnWire('A client in the process of the service', (engine) => {
  const database = openForAll(() => engine.open());
  const { key } = createKey('someone');
  const service = openForAll(() =>
    startBeside(database, {
      keys: { ownerOf: (given) => (given === key ? { name: 'someone' } : undefined) },
      limits: { ratePerMinute: 10, maxStreams: 1 },
    }),
  );
  const client = (station = 'default') => service.app.clientOf(station);

  it('gets the answers and the errors of a client with a key, without a key or a limit on its rate', async () => {
    await database.sql(insertPoints([['2026-03-01T12:00:00Z', -7.22, 440]]));
    await makeStation(database, 'garden');
    const other = createClient(service.url, { apiKey: key });
    expect(await client().audio.latest.query({})).toEqual(await other.audio.latest.query({}));
    expect(await client().stations.list.query()).toEqual(await other.stations.list.query());
    expect((await client('garden').audio.latest.query({})).points).toEqual([]);
    const refusalBy = (by: typeof other) => by.audio.latest.query({ limit: 0 }).catch((error) => error);
    const [refusal, same] = [await refusalBy(client()), await refusalBy(other)];
    expect(isServiceError(refusal)).toBe(true);
    expect([refusal.message, refusal.data]).toEqual([same.message, same.data]);
    await expect(client('attic').audio.latest.query({})).rejects.toMatchObject({ data: { httpStatus: 404 } });
    for (let n = 0; n < 20; n++) await client().health.live.query();
  });

  it('follows the stations, waits for a slot, and frees it when it leaves', async () => {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    await fetch(`${service.url}/api/v1/stations/live`, { headers, signal: leaving.signal });
    const names = async () => {
      let tries = 0; // the first finds no slot
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      const { unsubscribe } = client().stations.live.subscribe(
        {},
        {
          onData: ({ data }) => resolve(data.stations.map(({ name }) => name)),
          onConnectionStateChange: ({ state }) => state === 'connecting' && ++tries === 2 && leaving.abort(),
          onError: reject,
        },
      );
      return promise.finally(unsubscribe);
    };
    expect(await names()).toEqual(['default', 'garden']);
    expect(leaving.signal.aborted).toBe(true);
    expect(await names()).toEqual(['default', 'garden']);
  });
});
