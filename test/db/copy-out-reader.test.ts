import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import type { Connection } from 'pg';
import { expect, it } from 'vitest';
import { createCopyOut } from '../../src/db/copy-out-reader.ts';

/** A message of the server: a letter, a length, and what it holds. */
function message(letter: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(text));
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(text)]);
}

/** A connection whose server sends what a test says, and pg's end of it, which notes what it is passed. */
function connect() {
  const socket = Object.assign(new EventEmitter(), {
    paused: false,
    pause: () => {
      socket.paused = true;
    },
    resume() {
      socket.paused = false;
      return socket;
    },
  });
  const passed: Buffer[] = [];
  socket.on('data', (piece: Buffer) => passed.push(piece));
  const asked: string[] = [];
  const connection = { stream: socket, query: (text: string) => asked.push(text) };
  return { socket, passed, asked, connection: connection as unknown as Connection };
}

const HEAD = message('H', '\0\0\0');
const NOTICE = message('N', 'by the way');
const END = message('c', '');

it('gives the lines as they were sent, and pg the rest, wherever the pieces end', async () => {
  const line = fc.oneof(
    fc.constant(''),
    fc.string({ minLength: 1, maxLength: 40 }).map((text) => `${text}\n`),
  );
  const sent = fc.array(fc.oneof(line, fc.constant(NOTICE)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(sent, fc.infiniteStream(fc.integer({ min: 1, max: 50 })), async (items, sizes) => {
      const { socket, passed, asked, connection } = connect();
      const { query, lines } = createCopyOut('copy it');
      query.submit(connection);
      expect(asked).toEqual(['copy it']);
      const messages = items.map((item) => (typeof item === 'string' ? message('d', item) : item));
      const bytes = Buffer.concat([HEAD, ...messages, END]);
      for (let at = 0; at < bytes.length; ) {
        const end = at + (sizes.next().value ?? 1);
        socket.emit('data', Buffer.from(bytes.subarray(at, end)));
        at = end;
      }
      query.handleReadyForQuery();
      let text = '';
      for await (const piece of lines) text += piece;
      expect(text).toBe(items.filter((item) => typeof item === 'string').join(''));
      const notices = items.filter((item) => typeof item !== 'string');
      expect(Buffer.concat(passed)).toEqual(Buffer.concat([HEAD, ...notices, END]));
      socket.emit('data', Buffer.from('of the next query'));
      expect(`${passed.at(-1)}`).toBe('of the next query');
    }),
  );
});

it('keeps the server waiting while nobody reads', async () => {
  const { socket, connection } = connect();
  const { query, lines } = createCopyOut('copy it');
  query.submit(connection);
  const line = `${'x'.repeat(9999)}\n`;
  let sent = 0;
  while (!socket.paused && sent < 100) {
    socket.emit('data', message('d', line));
    sent++;
  }
  expect(sent).toBeLessThan(20);
  let read = 0;
  for await (const piece of lines) {
    read += piece.length / line.length;
    if (read < sent) continue;
    expect(socket.paused).toBe(false);
    query.handleReadyForQuery();
  }
  expect(read).toBe(sent);
});

it('breaks off with the error of the server, and leaves the socket flowing and to pg', async () => {
  const { socket, passed, connection } = connect();
  const { query, lines } = createCopyOut('copy it');
  query.submit(connection);
  lines.read(0);
  const error = message('E', 'the disk is gone');
  const parse = passed.push.bind(passed);
  passed.push = (...pieces) => {
    if (pieces.some((piece) => piece.equals(error))) query.handleError(new Error('The disk is gone'));
    return parse(...pieces);
  };
  socket.emit('data', Buffer.concat([message('d', `${'x'.repeat(100_000)}\n`), error]));
  await expect(lines.toArray()).rejects.toThrow('The disk is gone');
  expect(socket.paused).toBe(false);
  query.handleReadyForQuery();
  socket.emit('data', Buffer.from('later'));
  expect(passed.filter((piece) => `${piece}` === 'later')).toHaveLength(1);
});

it('passes on what follows the end in the same piece, whole or not', async () => {
  const { socket, passed, connection } = connect();
  const { query, lines } = createCopyOut('copy it');
  query.submit(connection);
  const ready = message('Z', 'I');
  const parse = passed.push.bind(passed);
  passed.push = (...pieces) => {
    if (pieces.some((piece) => piece.equals(ready))) query.handleReadyForQuery();
    return parse(...pieces);
  };
  socket.emit('data', Buffer.concat([message('d', 'a line\n'), END, ready, NOTICE.subarray(0, 7)]));
  socket.emit('data', NOTICE.subarray(7));
  expect((await lines.toArray()).join('')).toBe('a line\n');
  expect(passed.join('')).toBe(`${END}${ready}${NOTICE}`);
});
