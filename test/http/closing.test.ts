import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { engineOfWire, openForAll } from '../engines.ts';
import { startBeside } from '../service.ts';
import { open } from './raw.ts';

const database = openForAll(() => engineOfWire().open());

async function service() {
  const running = await startBeside(database);
  onTestFinished(() => running.close());
  return running;
}
const PAGE = '/api/v1/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&limit=10000';

it('finishes an answer while the service closes, however slow its reader is', async () => {
  await database.sql(`insert into audio_data (time, rms_db)
    select '2026-01-01Z'::timestamptz + n * interval '1 ms', -1 from generate_series(1, 10000) n`);
  const { url, app } = await service();
  const answer = await open(`${url}${PAGE}`, { connection: 'keep-alive' });
  const closed = app.close();
  await expect.poll(() => app.server.listening).toBe(false);
  let text = '';
  for await (const piece of answer) text += piece;
  expect(JSON.parse(text).points).toHaveLength(10_000);
  await closed;
});

it('answers a request that arrived before closing but was not read yet', async () => {
  const { url, app } = await service();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const message = 'GET /api/v1/health/live HTTP/1.1\r\nhost: x\r\n\r\n';
  socket.write(message);
  await once(socket, 'data');
  socket.write(message); // the service runs in this process, so it cannot have read the request yet
  const closed = app.close();
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('200 OK');
  expect(String(answer).toLowerCase()).toContain('connection: close');
  await closed;
});

it('cuts off listeners that have stopped reading, on both transports', async () => {
  await database.sql(`insert into audio_data (time, rms_db)
    select now() - n * interval '30 ms', -1 from generate_series(1, 90000) n`);
  const { url, app } = await startBeside(database, { clock: Date.now });
  const responses: ServerResponse[] = [];
  app.server.on('request', (_, response) => responses.push(response));
  for (const path of ['api/v1/audio/live?from=now-1h', 'trpc/audio.live?input={"from":"now-1h"}']) {
    const answer = await open(`${url}/${path}`);
    answer.on('error', () => {}).pause();
  }
  await expect.poll(() => responses.map((raw) => raw.writableNeedDrain)).toEqual([true, true]);
  await app.close();
  expect(responses.map((raw) => [raw.destroyed, raw.writableFinished])).toEqual(Array(2).fill([true, false]));
});
