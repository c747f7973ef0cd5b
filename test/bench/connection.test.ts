import { createServer } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createAnswerReader, openConnection } from '../../bench/connection.ts';
import { listen } from '../cluster.ts';

const BODY = '{"points":[1,2,3,4,5,6,7,8,9,10,11,12]}';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const stated = `${HEAD}content-length: ${BODY.length}\r\n\r\n${BODY}`;
const chunked = `${HEAD}transfer-encoding: chunked\r\n\r\nf\r\n${BODY.slice(0, 15)}\r\n18\r\n${BODY.slice(15)}\r\n0\r\n\r\n`;

it.each([
  ['of a stated length', stated],
  ['in chunks', chunked],
])('reads an answer %s, however it is split into pieces', (_, text) => {
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const ends = [...cuts.toSorted((a, b) => a - b), text.length];
      const pieces: string[] = [];
      const take = createAnswerReader((piece) => pieces.push(piece.toString()));
      const taken = ends.map((end, n) => take(Buffer.from(text.slice(ends[n - 1] ?? 0, end))));
      // only the last non-empty piece completes the answer
      const whole = taken.filter((answer) => answer !== undefined);
      expect(whole[0]).toMatchObject({ status: 200, length: BODY.length });
      expect(taken.slice(0, ends.indexOf(text.length))).toEqual(
        Array(ends.indexOf(text.length)).fill(undefined),
      );
      expect(pieces.join('')).toBe(BODY);
    }),
  );
});

it('fails if the connection closes before the answer is whole, and reconnects', async () => {
  let answers = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => (answers++ === 0 ? socket.end(stated.slice(0, -1)) : socket.write(stated)));
  });
  onTestFinished(() => void server.close());
  const connection = openConnection(`http://127.0.0.1:${await listen(server)}`);
  await expect(connection.get('/')).rejects.toThrow('closed before the answer was whole');
  await expect(connection.get('/')).resolves.toEqual({ status: 200, length: BODY.length, opening: BODY });
  connection.close();
});
