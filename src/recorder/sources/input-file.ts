// Opens the file that a command reads, or says why it cannot be read.
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { BadInput } from '../bad-input.ts';

interface InputFile extends AsyncDisposable {
  stream: ReadStream;
  /** In bytes; undefined for a pipe. */
  size: number | undefined;
}

const PIECE_BYTES = 2 ** 20;
const SAY_AFTER_MS = 3000;
const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a directory',
};

/** Says what is waited for, if that lasts: a named pipe opens when a program writes to it. */
export async function saidIfSlow<Came>(
  name: string,
  coming: Promise<Came>,
  say: (line: string) => void,
): Promise<Came> {
  const timer = setTimeout(() => say(`Waiting: nothing has come from ${name} yet.`), SAY_AFTER_MS);
  return coming.finally(() => clearTimeout(timer));
}

/** @throws BadInput that says why the file cannot be opened */
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
