// Reads a stream of bytes: takes an exact number, peeks, skips, or passes on the pieces as they arrive.

export interface ByteReader {
  /** The next `count` bytes; fewer only at the end of the stream. */
  read(count: number): Promise<Uint8Array>;
  /** The next `count` bytes, without consuming them; fewer only at the end of the stream. */
  peek(count: number): Promise<Uint8Array>;
  /** Skips `count` bytes. Returns how many it skipped: fewer only at the end of the stream. */
  skip(count: number): Promise<number>;
  /** The next `count` bytes as they arrive, in pieces of any size; fewer only at the end of the stream. */
  pieces(count: number): AsyncGenerator<Uint8Array>;
}

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);

  async function more(): Promise<boolean> {
    const next = await iterator.next();
    if (next.done) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  }

  function take(count: number): Uint8Array {
    const taken = held.subarray(0, count);
    held = held.subarray(taken.length);
    return taken;
  }

  const reader: ByteReader = {
    async peek(count) {
      while (held.length < count && (await more())) {}
      return held.subarray(0, count);
    },
    async read(count) {
      await reader.peek(count);
      return take(count);
    },
    async skip(count) {
      let skipped = 0;
      for await (const piece of reader.pieces(count)) skipped += piece.length;
      return skipped;
    },
    async *pieces(count) {
      for (let left = count; left > 0; ) {
        if (held.length === 0 && !(await more())) return;
        const piece = take(left);
        left -= piece.length;
        yield piece;
      }
    },
  };
  return reader;
}
