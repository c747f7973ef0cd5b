// SIGTERM with 200 busy connections, and with 200 idle ones.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../child.ts';
import { openConnection } from '../connection.ts';
import type { Figure } from '../figure.ts';
import { within } from '../points-table.ts';
import { statusesOf } from './samples.ts';
import type { TestBed } from './test-bed.ts';

const CONNECTIONS = 200;

/** Points of a short request. The queue of short requests holds one from each connection. */
const SHORT = 1000;

/** A request sent this long before the signal has certainly reached the service. */
const ACCEPTED_MS = 100;

export async function shutdown(bed: TestBed): Promise<Figure[]> {
  return [...(await inUse(bed)), await idle(bed)];
}

async function inUse({ start, all, say }: TestBed): Promise<Figure[]> {
  const work = `SIGTERM with ${CONNECTIONS} connections in use`;
  say(work);
  await using service = await start();
  const ended: { sent: number; status: number }[] = [];
  let signalled = Number.POSITIVE_INFINITY;
  const clients = Array.from({ length: CONNECTIONS }, async (_, n) => {
    const connection = openConnection(service.url);
    const path = `/api/v1/audio/range?${new URLSearchParams({ ...within(all, n * 100, SHORT) })}`;
    while (Date.now() < signalled) {
      const sent = Date.now();
      const status = await connection.get(path).then(
        (answer) => answer.status,
        () => 0,
      );
      ended.push({ sent, status });
    }
    connection.close();
  });
  await sleep(3000);
  signalled = Date.now();
  process.kill(service.pid, 'SIGTERM');
  await Promise.all(clients);
  const took = await exitAfter(service, signalled);
  const accepted = ended.filter(({ sent }) => sent < signalled - ACCEPTED_MS);
  const late = ended.filter(({ sent }) => sent >= signalled - ACCEPTED_MS);
  return [
    {
      work: `${work}: accepted requests reset`,
      value: accepted.filter(({ status }) => status === 0).length,
      unit: '',
      bar: { atMost: 0 },
      note: `${statusesOf(accepted)}; sent with the signal: ${statusesOf(late)}`,
    },
    { work: `${work}: exit after`, value: took, unit: 'ms' },
  ];
}

async function idle({ start, say }: TestBed): Promise<Figure> {
  const work = `SIGTERM with ${CONNECTIONS} idle connections: exit after`;
  say(work);
  await using service = await start();
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(service.url));
  await Promise.all(connections.map((connection) => connection.get('/api/v1/health/live')));
  const signalled = Date.now();
  process.kill(service.pid, 'SIGTERM');
  const value = await exitAfter(service, signalled);
  for (const connection of connections) connection.close();
  return { work, value, unit: 'ms', bar: { atMost: 2000 } };
}

async function exitAfter(service: Child, signalled: number): Promise<number> {
  while (service.isRunning()) await sleep(5);
  return Date.now() - signalled;
}
