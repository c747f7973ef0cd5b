// Reads a stream of bytes: takes an exact number, peeks, skips, or passes on the pieces as they arrive.

export type ByteReader = ReturnType<typeof createByteReader>;

/** Each function returns fewer bytes only at the end of the stream. */
export function createByteReader(source: AsyncIterable<Uint8Array>) {
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

  /** The next `count` bytes, without consuming them. */
  async function peek(count: number): Promise<Uint8Array> {
    while (held.length < count && (await more())) {}
    return held.subarray(0, count);
  }

  async function read(count: number): Promise<Uint8Array> {
    await peek(count);
    return take(count);
  }

  /** The next `count` bytes as they arrive, in pieces of any size. */
  async function* pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (held.length === 0 && !(await more())) return;
      const piece = take(left);
      left -= piece.length;
      yield piece;
    }
  }

  async function skip(count: number): Promise<number> {
    let skipped = 0;
    for await (const piece of pieces(count)) skipped += piece.length;
    return skipped;
  }

  return { peek, read, pieces, skip };
}
