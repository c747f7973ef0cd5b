import { expect, it, onTestFinished } from 'vitest';
import { createClient, follow } from '../../src/client/index.ts';
import { engineOfWire } from '../engines.ts';
import { startBeside } from '../service.ts';
import { makeStation } from '../stations.ts';

it('follows one station at its own address', async () => {
  const database = await engineOfWire().open();
  await makeStation(database, 'garden');
  const service = await startBeside(database, { clock: Date.now, livePollMs: 50 });
  onTestFinished(async () => {
    await service.close();
    await database.close();
  });
  const levels: (number | null)[] = [];
  const { unsubscribe } = follow(
    createClient(`${service.url}/stations/garden`),
    { from: 'now-1m' },
    { onPoints: (points) => levels.push(...points.map(({ rms_db }) => rms_db)) },
  );
  onTestFinished(unsubscribe);
  await service.sql(`insert into audio_data (time, rms_db) values (now(), -40)`);
  await service.sql(`insert into garden.audio_data (time, rms_db) values (now(), -20)`);
  await expect.poll(() => levels).toEqual([-20]);
});
