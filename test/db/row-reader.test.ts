import { Socket } from 'node:net';
import fc from 'fast-check';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { LONGEST_ROW, nextRow } from '../../src/db/binary-rows.ts';
import { BROKEN_PROTOCOL } from '../../src/db/faults.ts';
import { takeIncoming } from '../../src/db/internals/incoming.ts';
import { createRowReader } from '../../src/db/internals/row-reader.ts';
import { int32, repeated, rowOf } from '../rows.ts';
import { message } from '../tampering-proxy.ts';

const NOTICE = message('N', 'by the way');
const COMPLETE = message('C', 'SELECT 2\0');
const READY = message('Z', 'I');
const ROW = rowOf(int32(1), null);

/** A socket whose server sends what a test says, and what was told to it. */
class FakeSocket extends Socket {
  paused = false;
  broken: Error | undefined;
  override pause() {
    this.paused = true;
    return this;
  }
  override resume() {
    this.paused = false;
    return this;
  }
  override destroy(error?: Error) {
    this.broken ??= error;
    return this;
  }
}

/** A reader at work on a connection, and pg's end of it: a parser that knows where messages end. */
function ask({ mayTake = () => true }: { mayTake?: () => boolean } = {}) {
  const socket = new FakeSocket();
  const [passed, pieces]: [Buffer[], Buffer[]] = [[], []];
  const ends: (Error | null)[] = [];
  const sent: string[] = [];
  const note = (name: string) => (given: object) => sent.push(`${name} ${JSON.stringify(given)}`);
  const connection = {
    stream: socket,
    parsedStatements: {},
    submittedNamedStatements: {},
    parse: note('parse'),
    bind: note('bind'),
    describe: note('describe'),
    execute: note('execute'),
    sync: () => sent.push('sync'),
    attachListeners: (stream: Socket) => stream.on('data', pgReads),
  };
  let held: Buffer = Buffer.of();
  const reader = createRowReader(
    { text: 'select it', values: ['a'] },
    (rows) => {
      pieces.push(rows);
      return mayTake();
    },
    (error) => ends.push(error),
  );
  const handle = reader.query as unknown as {
    handleError(error: Error): void;
    handleReadyForQuery(): void;
    submit(connection: pg.Connection): unknown;
  };
  /** As pg does it: on each whole message. */
  function pgReads(bytes: Buffer) {
    passed.push(bytes);
    held = Buffer.concat([held, bytes]);
    while (held.length >= 5 && held.length > held.readUInt32BE(1)) {
      const letter = String.fromCharCode(held[0] ?? 0);
      const end = 1 + held.readUInt32BE(1);
      const text = held.toString('latin1', 5, end);
      held = held.subarray(end);
      if (letter === 'E') handle.handleError(new Error(text));
      if (letter === 'Z' && ends.length === 0) handle.handleReadyForQuery();
    }
  }
  const ofPg = connection as unknown as pg.Connection;
  takeIncoming(ofPg);
  connection.attachListeners(socket);
  return {
    socket,
    passed,
    pieces,
    ends,
    sent,
    begin: () => handle.submit(ofPg),
    fail: (error: Error) => handle.handleError(error),
    resume: reader.resume,
    send: (bytes: Buffer) => socket.emit('data', Buffer.from(bytes)),
  };
}

/** The same, begun. */
function begun(options: Parameters<typeof ask>[0] = {}) {
  const asked = ask(options);
  asked.begin();
  return asked;
}

describe('A reader of rows', () => {
  it('asks for them in binary', () => {
    const { sent } = begun();
    expect(sent.join('\n')).toContain('bind {"portal":"","values":["a"],"binary":true}');
    expect(sent.at(-1)).toBe('sync');
  });

  it('gives whole rows as they were sent, and pg the rest, wherever the pieces end', () => {
    const row = fc
      .array(fc.option(fc.uint8Array({ maxLength: 30 })), { maxLength: 5 })
      .map((values) => rowOf(...values.map((value) => value && Buffer.from(value))));
    const other = fc.constantFrom(NOTICE, message('n', ''), message('T', 'D'.repeat(20)));
    const items = fc.array(fc.oneof(row, other), { maxLength: 60 });
    fc.assert(
      fc.property(items, fc.infiniteStream(fc.integer({ min: 1, max: 60 })), (items, sizes) => {
        const { passed, pieces, ends, send } = begun();
        const bytes = Buffer.concat([...items, COMPLETE, READY]);
        for (let at = 0; at < bytes.length; ) {
          const end = at + (sizes.next().value ?? 1);
          send(bytes.subarray(at, end));
          at = end;
        }
        const isRow = (item: Buffer) => item[0] === 68;
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(items.filter(isRow)));
        for (const piece of pieces) {
          let at = 0;
          while (at < piece.length) at = nextRow(piece, at);
          expect(at).toBe(piece.length);
        }
        const others = items.filter((item) => !isRow(item));
        expect(Buffer.concat(passed)).toEqual(Buffer.concat([...others, COMPLETE, READY]));
        expect(ends).toEqual([null]);
        send(Buffer.from('of the next question'));
        expect(`${passed.at(-1)}`).toBe('of the next question');
      }),
    );
  });

  it('gives the rows of one piece as one piece, and copies nothing', () => {
    const { socket, pieces } = begun();
    const sent = Buffer.concat([repeated(ROW, 1000), NOTICE, ROW]);
    socket.emit('data', sent);
    expect(pieces.map(({ length }) => length)).toEqual([1000 * ROW.length, ROW.length]);
    for (const piece of pieces) expect(piece.buffer).toBe(sent.buffer);
  });

  it('holds none of the rows for what it passes on', () => {
    const { passed, socket } = begun();
    const sent = Buffer.concat([repeated(ROW, 100_000), NOTICE]);
    socket.emit('data', sent);
    expect(passed).toHaveLength(1);
    expect(passed[0]?.buffer).not.toBe(sent.buffer);
  });

  it('keeps the server waiting while nobody takes, until it is told to go on', () => {
    let room = 3;
    const { socket, pieces, ends, send, resume } = begun({ mayTake: () => --room > 0 });
    let sent = 0;
    for (; !socket.paused && sent < 100; sent++) send(ROW);
    expect([sent, pieces.length]).toEqual([3, 3]);
    room = 2;
    resume();
    expect(socket.paused).toBe(false);
    send(Buffer.concat([ROW, NOTICE, ROW, NOTICE])); // all of what has come is given
    expect([pieces.length, socket.paused, ends]).toEqual([5, true, []]);
    resume();
    send(Buffer.concat([COMPLETE, READY]));
    expect([socket.paused, ends]).toEqual([false, [null]]);
  });

  it('leaves a socket that flows to pg, also where nobody took what came before the end', () => {
    const { socket, ends, send, resume } = begun({ mayTake: () => false });
    send(Buffer.concat([ROW, COMPLETE, READY]));
    expect([socket.paused, ends]).toEqual([false, [null]]);
    socket.pause(); // of who uses the connection next
    resume();
    expect(socket.paused).toBe(true);
  });

  it('ends with the error of the server after some rows, and leaves the socket flowing and to pg', () => {
    const { socket, passed, pieces, ends, send } = begun({ mayTake: () => false });
    const error = message('E', 'the disk is gone');
    send(Buffer.concat([repeated(ROW, 10), error]));
    expect(Buffer.concat(pieces)).toEqual(repeated(ROW, 10));
    expect(ends.map((end) => end?.message)).toEqual(['the disk is gone']);
    expect(socket.paused).toBe(false);
    send(READY);
    send(Buffer.from('later'));
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([error, READY, Buffer.from('later')]));
    expect(ends).toHaveLength(1);
    expect(socket.listenerCount('data')).toBe(1);
  });

  it('passes on what follows the end in the same piece, whole or not', () => {
    const { passed, pieces, ends, send } = begun();
    send(Buffer.concat([ROW, COMPLETE, READY, NOTICE.subarray(0, 7)]));
    send(NOTICE.subarray(7));
    expect(pieces).toEqual([ROW]);
    expect(ends).toEqual([null]);
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([COMPLETE, READY, NOTICE]));
  });

  it('is told once where the connection breaks, before it asks or half way', () => {
    const waiting = ask();
    waiting.fail(new Error('Connection terminated'));
    expect(waiting.ends.map((end) => end?.message)).toEqual(['Connection terminated']);
    const { socket, ends, pieces, passed, send, fail } = begun({ mayTake: () => false });
    send(Buffer.concat([ROW, ROW.subarray(0, 9)]));
    fail(new Error('Connection terminated'));
    expect(ends.map((end) => end?.message)).toEqual(['Connection terminated']);
    expect([socket.paused, pieces]).toEqual([false, [ROW]]);
    expect(passed).toEqual([]); // a part of a row is nobody's
  });

  it.each([
    ['a row that is shorter than its length', Buffer.from([68, 0, 0, 0, 3, 0, 0])],
    ['a row that has no length', Buffer.from([68, 0, 0, 0, 0, 0, 0])],
    ['another message that has no length', Buffer.from([78, 0, 0, 0, 3, 0, 0])],
    ['a row without an end', Buffer.from([68, 0xff, 0xff, 0xff, 0xff, 0, 0])],
    [
      'a row that is too long to be a point',
      Buffer.concat([Buffer.of(68), int32(LONGEST_ROW), Buffer.of(0, 1)]),
    ],
  ])('breaks the connection over %s', (_, bytes) => {
    const whole = begun();
    whole.send(Buffer.concat([ROW, bytes]));
    expect(whole.pieces).toEqual([ROW]);
    expect(whole.socket.broken?.message).toBe(BROKEN_PROTOCOL);
    const cut = begun();
    for (const byte of bytes.subarray(0, 5)) cut.send(Buffer.of(byte));
    expect(cut.socket.broken?.message).toBe(BROKEN_PROTOCOL);
  });

  it('gives a row as long as one may be, in however many pieces it comes', () => {
    const long = rowOf(Buffer.alloc(LONGEST_ROW - 20, 7));
    const { socket, pieces, send } = begun();
    for (let at = 0; at < long.length; at += 65_536) send(long.subarray(at, at + 65_536));
    expect(socket.broken).toBeUndefined();
    expect(pieces.length === 1 && pieces[0]?.equals(long)).toBe(true);
  });
});
