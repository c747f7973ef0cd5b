import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { poll } from '../../bench/pollers.ts';
import { listen } from '../cluster.ts';

it('counts every answer, and counts a wrong status or length as an error', async () => {
  let requests = 0;
  const server = createServer((_, answer) => {
    requests++;
    if (requests === 2) answer.statusCode = 503;
    answer.end(requests === 3 ? '{"points":[1]}' : '{"points":[]}');
  });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const polled = await poll({ clients: 1, seconds: 0.3, everyMs: 0, url, path: () => '/', length: () => 13 });
  expect(polled.errors).toBe(2);
  expect(polled.firstError).toBe('503, 13 bytes: {"points":[]}');
  expect(polled.answers).toBe(requests - 2);
});
