// API keys: who they belong to, by a file of names and digests that is read again when it changes.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../../errors.ts';

export interface ApiKeys {
  /** @returns whose key it is; undefined where it is nobody's */
  nameOf(key: string): string | undefined;
}

/** API keys as the file has them now. */
export interface OpenApiKeys extends ApiKeys {
  close(): void;
}

interface Entry {
  readonly name: string;
  readonly digest: Buffer;
}

const NAME = /^[\w.-]{1,64}$/;
const NAME_RULE = 'of at most 64 letters, digits, dots, hyphens and underscores';
const EVERY_MS = 500;

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
  const entries: Entry[] = [];
  const wrong: string[] = [];
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const [name = '', digest = '', ...more] = line.trim().split(/\s+/);
    if (name === '' || name.startsWith('#')) continue;
    if (!NAME.test(name)) wrong.push(`line ${i + 1}: the name must be ${NAME_RULE}`);
    else if (!/^[\da-f]{64}$/i.test(digest) || more.length > 0)
      wrong.push(
        `line ${i + 1}: after the name must stand the SHA-256 of the key, 64 hex digits, and no more`,
      );
    else {
      const entry = { name, digest: Buffer.from(digest, 'hex') };
      const owner = entries.find((other) => other.digest.equals(entry.digest));
      if (owner) wrong.push(`line ${i + 1}: the key is that of ${owner.name} already`);
      else entries.push(entry);
    }
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  return {
    nameOf(key) {
      const digest = Buffer.from(hash('sha256', key), 'hex'); // asked for a buffer, it takes four times as long
      let found: string | undefined;
      // all of them, so that the time says nothing
      for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) found = entry.name;
      return found;
    },
  };
}

/**
 * The keys of a file. It is read twice a second, because not every file system tells of changes, and what is put
 * in place by a rename or by a link has another inode. A change counts when two readings agree: the file may be
 * half written. A change that cannot be read is logged, and the keys stay.
 *
 * @throws Error that names the file and what is wrong with it
 */
export function openKeys(path: string, log: Pick<FastifyBaseLogger, 'info' | 'warn'>): OpenApiKeys {
  const read = (text: string) => {
    const keys = readKeys(text);
    const isEmpty = !/^\s*[^#\s]/m.test(text);
    if (isEmpty) log.warn({ path }, 'API_KEYS_FILE holds no key: nobody gets in');
    else log.info({ path }, 'The API keys are read');
    return keys;
  };
  let taken: string;
  let keys: ApiKeys;
  try {
    taken = readFileSync(path, 'utf8');
    keys = read(taken);
  } catch (error) {
    throw new Error(`API_KEYS_FILE is ${path}, which cannot be read:\n  ${(error as Error).message}`);
  }
  let seen = taken;
  let complaint = '';
  let isReading = false;
  const complain = (error: unknown) => {
    const { message } = error as Error;
    if (message !== complaint)
      log.warn({ path, reason: message }, 'API_KEYS_FILE has changed and cannot be read; the keys stay');
    complaint = message;
  };
  const look = async () => {
    if (isReading) return;
    isReading = true;
    try {
      const text = await readFile(path, 'utf8');
      if (text === seen && text !== taken) {
        keys = read(text);
        taken = text;
      }
      if (text === taken) complaint = '';
      seen = text;
    } catch (error) {
      complain(error);
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { nameOf: (key) => keys.nameOf(key), close: () => clearInterval(timer) };
}
