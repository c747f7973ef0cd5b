// The file of API keys: polled while the service runs, and applied when complete.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { startLoop } from '../../loop.ts';
import { readKeys } from './api-keys.ts';

/** How often the file is read, in milliseconds, and how many readings must agree. A change applies after a second. */
const EVERY_MS = 250;
const AGREEING = 4;

const MAX_BYTES = 16 * 2 ** 20;

const NO_FILE = 'There is no such file; `npm run key -- NAME` prints a line for it';

/**
 * Opens the keys in a file. Polls its text, because not every file system reports changes, renames and links. A change
 * applies when the file ends with a line break, every line is valid, and several readings agree. Until then the
 * previous keys stay valid, and the log gives the reason.
 *
 * @param name the setting that has the path
 */
export async function openKeys(
  path: string,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  everyMs = EVERY_MS,
  name = 'API_KEYS_FILE',
) {
  const listeners: (() => void)[] = [];
  const take = (text: string) => {
    const keys = keysIn(text);
    if (keys.count > 0) log.info({ path, keys: keys.count }, `The keys of ${name} are loaded`);
    else
      log.warn(
        { path },
        `${name} has no keys, so every caller is refused: create a key with \`npm run key\``,
      );
    return { text, keys };
  };
  let taken = take(await readKeysFile(path, name));
  let seen = taken.text;
  let agreeing = 0;
  let complaint = '';
  const look = async () => {
    const before = taken;
    try {
      const text = await textOf(path);
      agreeing = text === seen ? agreeing + 1 : 1;
      seen = text;
      if (text === taken.text) {
        if (complaint !== '') log.info({ path }, `${name} can be used again, with the same keys as before`);
        complaint = '';
      } else if (agreeing === AGREEING) {
        taken = take(text);
        complaint = '';
      }
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== complaint)
        log.warn(
          { path, reason },
          `${name} has changed, but cannot be used, so the previous keys stay: fix the file`,
        );
      complaint = reason;
    }
    if (taken !== before) for (const listener of listeners) listener();
    return everyMs;
  };
  const looking = startLoop(look, (err) => {
    log.warn({ path, err }, `Cannot apply the new keys of ${name} to all connections; retrying`);
    return everyMs;
  });
  return {
    ownerOf: (key: string) => taken.keys.ownerOf(key),
    onChange: (listener: () => void) => void listeners.push(listener),
    close: () => void looking.stop(),
  };
}

/** @throws Error that gives the setting and the reason if the file cannot be used */
export async function readKeysFile(path: string, name = 'API_KEYS_FILE'): Promise<string> {
  try {
    const text = await textOf(path);
    keysIn(text);
    return text;
  } catch (error) {
    throw new Error(`${name} is ${path}, which cannot be read:\n  ${messageOf(error)}`);
  }
}

function keysIn(text: string) {
  if (text === '') throw new Error('The file is empty: it may not be written yet');
  if (!text.endsWith('\n')) throw new Error('The last line has no line break: the file may be half written');
  return readKeys(text);
}

/** Opens without blocking, because a pipe without a writer would hold a thread and delay the exit of the process. */
async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error('It is not a regular file');
    if (status.size > MAX_BYTES) throw new Error(`It is larger than ${MAX_BYTES} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? NO_FILE : error.message;
}
