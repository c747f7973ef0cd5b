// API keys: how they are made, and who they belong to, by lines of names and digests.
import { hash, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';

export interface ApiKeys {
  nameOf(key: string): string | undefined;
  /** Calls `listener` whenever other keys count. Without it they stay the same. */
  onChange?(listener: () => void): void;
}

const NAME = /^[\w.-]{1,64}$/;
const NAME_RULE = 'of at most 64 letters, digits, dots, hyphens and underscores';

/** Makes a key, with a prefix that scanners of repositories know, and its line for the file. */
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
export function readKeys(text: string) {
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
  return { count: owners.size, nameOf: (key: string) => owners.get(hash('sha256', key)) };
}
