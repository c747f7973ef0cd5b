import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startSmallService } from '../../client/embedded-service.ts';
import { FAILURE, start, startHook, storeLevel } from './watching.ts';

it('continues in parts, each point once, if more points are loud than a request may read', async () => {
  const service = await startSmallService({ clock: Date.now, livePollMs: 50 });
  onTestFinished(() => service.close());
  await service.sql('truncate audio_data');
  const hook = await startHook([]);
  // 450,000 loud points in 75 minutes, quiet ones, and a short event among them
  await service.sql(`insert into audio_data select now() - interval '2 h' + n * interval '10 ms', -5, 440, false
    from generate_series(1, 450000) n`);
  await storeLevel(service, -40, 300, 60);
  await storeLevel(service, -3, 10, 62);
  const rule = ['--on', 'end', '--every', '0s', '--threshold', '-10', '--from', 'now-3h'];
  const watching = start([service.url, '--notify', hook.url, ...rule]);
  for (let n = 0; n < 500 && !hook.taken.some(({ body }) => JSON.parse(body).peak_db === -3); n++) {
    await storeLevel(service, -40, 1);
    await sleep(100);
  }
  watching.end();
  await watching.run;
  const events = hook.taken.map(({ body }) => JSON.parse(body));
  const [parts, [whole, ...others]] = [events.slice(0, -1), events.slice(-1)];
  const counts: number[] = parts.map(({ point_count }) => point_count);
  expect(counts.reduce((sum, count) => sum + count)).toBe(450_000);
  expect(parts.map(({ truncated_start }) => truncated_start)).toEqual(parts.map((_, index) => index > 0));
  expect(parts.map(({ truncated_end }) => truncated_end)).toEqual(
    parts.map((_, index) => index < parts.length - 1),
  );
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect([whole?.peak_db, whole?.truncated_start, whole?.truncated_end, others]).toEqual([
    -3,
    false,
    false,
    [],
  ]);
  expect(watching.said.filter((line) => FAILURE.test(line))).toEqual([]);
});
