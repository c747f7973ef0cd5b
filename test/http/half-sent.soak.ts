// A half-sent request is cut off after 30 s, as docs/explanation/load.md promises.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { empty, serviceOn } from './service-on.ts';

const PROMISED_MS = 30_000;
const BUSY_MACHINE_MS = 3000;

it('A client has 30 s to send a request, whenever it connects and however slowly it sends', async () => {
  const { hostname, port } = new URL(await serviceOn(empty));
  const answerTo = async (sent: string, afterMs: number, isDripping = false) => {
    await sleep(afterMs);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    await once(socket, 'connect');
    socket.write(sent);
    const drip = isDripping ? setInterval(() => socket.write('x'), 500) : undefined;
    const late = sleep(PROMISED_MS + BUSY_MACHINE_MS, 'still open', { ref: false });
    const end = await Promise.race([once(socket, 'close'), late]);
    clearInterval(drip);
    socket.destroy();
    return end === 'still open' ? end : answer.split('\r\n', 1)[0];
  };
  const half = 'GET /api/v1/health/live HTTP/1.1\r\nHost: localhost\r\nX-';
  const answers = [0, 7000, 13_000, 21_000].map((afterMs) => answerTo(half, afterMs));
  const all = await Promise.all([...answers, answerTo('', 0), answerTo(half, 0, true)]);
  expect(all).toEqual(Array(6).fill('HTTP/1.1 408 Request Timeout'));
});
