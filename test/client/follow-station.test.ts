import { expect, it, onTestFinished } from 'vitest';
import { createClient, follow } from '../../src/client/index.ts';
import { engines } from '../engines.ts';
import { startTestService } from '../service.ts';
import { makeStation } from '../stations.ts';

it('follows one station at its own address', async () => {
  const [pglite] = engines;
  if (!pglite) return expect.unreachable();
  const service = await startTestService(pglite, { clock: Date.now, livePollMs: 50 });
  onTestFinished(() => service.close());
  await makeStation({ ...service, url: undefined }, 'garden');
  const levels: (number | null)[] = [];
  const { unsubscribe } = follow(
    createClient(`${service.url}/stations/garden`),
    { from: 'now-1m' },
    { onPoints: (points) => levels.push(...points.map(({ rms_db }) => rms_db)) },
  );
  onTestFinished(unsubscribe);
  await service.sql(`insert into audio_data (time, rms_db) values (now(), -40)`);
  await service.sql(`insert into garden.audio_data (time, rms_db) values (now(), -20)`);
  await expect.poll(() => levels, { timeout: 10_000 }).toEqual([-20]);
});
