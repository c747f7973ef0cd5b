// API keys: who they belong to, by a file of names and digests that is read again when it changes.
import { hash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../../errors.ts';

export interface ApiKeys {
  /** @returns whose key it is; undefined where it is nobody's */
  nameOf(key: string): string | undefined;
}

const NAME = /^[\w.-]{1,64}$/;
const NAME_RULE = 'of at most 64 letters, digits, dots, hyphens and underscores';
const EVERY_MS = 400;

/**
 * A new key: 32 random bytes, after what tells a reader, and a scanner of repositories, what it is.
 *
 * @returns the key, and its line for the file, from which it cannot be told
 * @throws AppError BAD_REQUEST when the name cannot stand in the file
 */
export function createKey(name: string): { key: string; line: string } {
  if (!NAME.test(name)) throw new AppError('BAD_REQUEST', `The name must be ${NAME_RULE}`);
  const key = `am_${randomBytes(32).toString('base64url')}`;
  return { key, line: `${name} ${hash('sha256', key)}` };
}

/**
 * Reads lines of a name and the SHA-256 of a key in hex. Blank lines and those that begin with `#` say nothing. A
 * name may have several keys, so that one can be exchanged while both are in use.
 *
 * @throws Error that names every bad line, and none of what it holds
 */
export function readKeys(text: string): ApiKeys {
  const owners = new Map<string, string>();
  const wrong: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [i, line] of lines.entries()) {
    const [name = '', hex = '', ...more] = line.trim().split(/\s+/);
    if (name === '' || name.startsWith('#')) continue;
    const digest = hex.toLowerCase();
    const owner = owners.get(digest);
    const complain = (why: string) => wrong.push(`line ${i + 1}: ${why}`);
    if (!NAME.test(name)) complain(`the name must be ${NAME_RULE}`);
    else if (!/^[\da-f]{64}$/.test(digest) || more.length > 0)
      complain('after the name must stand the SHA-256 of the key, 64 hex digits, and no more');
    else if (owner) complain(`the key is that of ${owner} already`);
    else owners.set(digest, name);
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  // a caller cannot choose the digest of its key, so the time of the look-up tells it nothing of use
  return { nameOf: (key) => owners.get(hash('sha256', key)) };
}

/**
 * The keys of a file. Its status is polled, because not every file system tells of changes, and what is put in place
 * by a rename or by a link is another file. A change counts when two readings agree: the file may be half written. A
 * change that cannot be read is logged, and the keys stay.
 *
 * @throws Error that names the file and what is wrong with it
 */
export function openKeys(path: string, log: Pick<FastifyBaseLogger, 'info' | 'warn'>) {
  let taken = '';
  let keys: ApiKeys;
  const take = (text: string) => {
    keys = readKeys(text);
    taken = text;
    if (/^\s*[^#\s]/m.test(text)) log.info({ path }, 'The API keys are read');
    else log.warn({ path }, 'API_KEYS_FILE holds no key: nobody gets in');
  };
  try {
    if (statSync(path).isFIFO()) throw new Error('It is a pipe, which cannot be read again');
    take(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`API_KEYS_FILE is ${path}, which cannot be read:\n  ${messageOf(error)}`);
  }
  let seen = taken;
  let complaint = '';
  const look = async () => {
    try {
      const text = await readFile(path, 'utf8');
      if (text !== seen) timer.refresh();
      else if (text !== taken) take(text);
      seen = text;
      if (text === taken) complaint = '';
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== complaint)
        log.warn({ path, reason }, 'API_KEYS_FILE has changed and cannot be read; the keys stay');
      complaint = reason;
      timer.refresh();
    }
  };
  const timer = setTimeout(look, EVERY_MS).unref(); // also for a change before the first poll
  const lookSoon = () => void timer.refresh();
  watchFile(path, { interval: EVERY_MS, persistent: false }, lookSoon);
  return {
    nameOf: (key: string) => keys.nameOf(key),
    close() {
      unwatchFile(path, lookSoon);
      clearTimeout(timer);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
