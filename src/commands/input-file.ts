// Opens the file that a command reads, or reports why it cannot be read.
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { BadInput } from './bad-input.ts';

interface InputFile extends AsyncDisposable {
  stream: ReadStream;
  /** In bytes; undefined for a pipe. */
  size: number | undefined;
}

const PIECE_BYTES = 2 ** 20;
const SAY_AFTER_MS = 3000;
const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'you have no permission to read it',
  EISDIR: 'it is a directory',
};

/** Prints what a slow open waits for: a named pipe opens only when a program writes to it. */
export async function saidIfSlow<Came>(
  name: string,
  coming: Promise<Came>,
  say: (line: string) => void,
): Promise<Came> {
  const timer = setTimeout(() => say(`Waiting for ${name}: nothing has arrived yet.`), SAY_AFTER_MS);
  return coming.finally(() => clearTimeout(timer));
}

/** @throws BadInput with the reason why the file cannot be opened */
export async function openInput(path: string): Promise<InputFile> {
  const fault = (error: NodeJS.ErrnoException) =>
    new BadInput(`Cannot open ${path}: ${REASONS[error.code ?? ''] ?? error.message}`, { cause: error });
  const file = await open(path).catch((error) => {
    throw fault(error);
  });
  const stat = await file.stat();
  if (stat.isDirectory()) {
    await file.close();
    throw fault(Object.assign(new Error(), { code: 'EISDIR' }));
  }
  const stream = file.createReadStream({ highWaterMark: PIECE_BYTES });
  return {
    stream,
    size: stat.isFile() ? stat.size : undefined,
    async [Symbol.asyncDispose]() {
      stream.destroy();
      await file.close().catch(() => {}); // the stream closes it too
    },
  };
}
