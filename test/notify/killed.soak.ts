// Kills `watch --notify` at random moments, with receivers that fail: no message is lost, and all come in order.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../src/contract/messages.ts';
import { startHook, storeLevel } from '../cli/watch/watching.ts';
import { engineOfWire } from '../engines.ts';
import { start, temporaryFolder } from '../process.ts';
import { startTestService } from '../service.ts';

const { NOTIFIED_EVENTS = '40' } = process.env;
const EVENTS = Number(NOTIFIED_EVENTS);

it(`reports ${EVENTS} events to each receiver, no matter when it is killed`, async () => {
  const service = await startTestService(engineOfWire(), { clock: Date.now });
  onTestFinished(() => service.close());
  const ill = await startHook(() => (Math.random() < 0.3 ? 500 : 200));
  const well = await startHook([]);
  const DATA_DIR = temporaryFolder();
  const args = [
    '--threshold',
    '-10',
    '--hold',
    '300ms',
    '--every',
    '0s',
    '--on',
    'start,end',
    '--from',
    'now-1m',
  ];
  const watch = () =>
    start(['watch', service.url, ...args, '--notify', ill.url, '--notify', well.url], { DATA_DIR });
  await storeLevel(service, -40, 50);
  let watching = watch();
  let kills = 0;
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      await sleep(1500 + 4000 * Math.random());
      if (isOver) return;
      watching.kill('SIGKILL');
      await watching.ended;
      kills += 1;
      watching = watch();
    }
  })();
  const now = () => new Date().toISOString();
  const from = now();
  for (let n = 0; n < EVENTS * 20; n++) {
    await storeLevel(service, n % 20 >= 16 ? -5 : -40, 6);
    await sleep(100);
  }
  isOver = true;
  await killing;
  const to = now();
  const { events } = await service.client.events.list.query({
    threshold: -10,
    hold_seconds: 0.3,
    from,
    to,
    limit: 1000,
  });
  const expected = events.map(({ start }) => start).reverse();
  const messagesOf = ({ taken }: typeof well): Message[] =>
    taken.filter(({ status }) => status === 200).map(({ body }) => JSON.parse(body));
  const idsOf = (hook: typeof well) =>
    messagesOf(hook).flatMap((message) => ('peak_db' in message ? [`${message.kind} ${message.start}`] : []));
  const all = expected.flatMap((time) => [`start ${time}`, `end ${time}`]);
  for (let n = 0; n < 600 && [ill, well].some((hook) => new Set(idsOf(hook)).size < all.length); n++) {
    await storeLevel(service, -40, 6);
    await sleep(100);
  }
  expect(await watching.stop()).toBe(0);
  expect(kills).toBeGreaterThan(3);
  expect(expected.length).toBeGreaterThan(EVENTS / 2);
  for (const hook of [ill, well]) {
    const got = idsOf(hook);
    expect([...new Set(got)]).toEqual(all);
    expect(got.length - all.length).toBeLessThanOrEqual(kills);
  }
});
