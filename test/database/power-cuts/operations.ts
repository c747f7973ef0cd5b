// What a process did to its files: one record per operation, in a log that its threads share.
import { readFileSync } from 'node:fs';

export type Operation =
  | { readonly do: 'open'; readonly handle: string; readonly path: string; readonly creates: boolean }
  | { readonly do: 'write'; readonly handle: string; readonly at: number; readonly bytes: Buffer }
  | { readonly do: 'truncate'; readonly handle: string; readonly size: number }
  | { readonly do: 'sync'; readonly handle: string }
  | { readonly do: 'make folder'; readonly path: string }
  | { readonly do: 'rename'; readonly path: string; readonly to: string }
  | { readonly do: 'remove'; readonly path: string }
  /** What the process reported to its user. */
  | { readonly do: 'say'; readonly text: string };

const LENGTHS = 8;

export function encode(operation: Operation): Buffer {
  const { bytes, ...rest } = operation.do === 'write' ? operation : { ...operation, bytes: Buffer.alloc(0) };
  const head = Buffer.from(JSON.stringify(rest));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([lengths, head, bytes]);
}

export function readOperations(log: string): Operation[] {
  const all = readFileSync(log);
  const operations: Operation[] = [];
  for (let at = 0; at < all.length; ) {
    const head = at + LENGTHS;
    const bytes = head + all.readUInt32LE(at);
    const end = bytes + all.readUInt32LE(at + 4);
    const operation = JSON.parse(all.toString('utf8', head, bytes));
    operations.push(operation.do === 'write' ? { ...operation, bytes: all.subarray(bytes, end) } : operation);
    at = end;
  }
  return operations;
}
