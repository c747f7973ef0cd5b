// API keys: how they are made, who they belong to and what they open, by lines of names and digests.
import { hash, randomBytes } from 'node:crypto';
import { isAnyStation } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';

export interface KeyOwner {
  readonly name: string;
  /** The names of the stations that the key opens; undefined for all. */
  readonly stations?: readonly string[];
}

/** Whether a caller may ask a station: if no key is needed, everyone. */
export const opens = (owner: KeyOwner | undefined, station: string) =>
  owner?.stations?.includes(station) ?? true;

export interface ApiKeys {
  ownerOf(key: string): KeyOwner | undefined;
  /** Calls `listener` whenever other keys count. Without it they stay the same. */
  onChange?(listener: () => void): void;
}

const NAME = /^[\w.-]{1,64}$/;
const STATIONS_RULE =
  'names of stations with commas between them and no spaces, such as garden,street, of which default is one';
const NAME_RULE = 'of at most 64 letters, digits, dots, hyphens and underscores';

/**
 * Makes a key, with a prefix that scanners of repositories know, and its line for the file.
 *
 * @param stations those that it opens, as the line has them; all by default
 */
export function createKey(name: string, stations?: string): { key: string; line: string } {
  if (!NAME.test(name)) throw new AppError('BAD_REQUEST', `The name must be ${NAME_RULE}`);
  if (stations !== undefined && !areStations(stations))
    throw new AppError('BAD_REQUEST', `The stations must be ${STATIONS_RULE}`);
  const key = `am_${randomBytes(32).toString('base64url')}`;
  return { key, line: [name, hash('sha256', key), stations].filter(Boolean).join(' ') };
}

const areStations = (text: string) => text.split(',').every(isAnyStation);

/**
 * Reads lines of a name, the SHA-256 of a key in hex and, if it does not open all, its stations. Blank lines and those that begin with `#` say nothing. A
 * name may have several keys, so that one can be exchanged while both are in use.
 *
 * @throws Error that names every bad line, and none of what it holds
 */
export function readKeys(text: string) {
  const owners = new Map<string, KeyOwner>();
  const wrong: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [i, line] of lines.entries()) {
    const [name = '', hex = '', stations, ...more] = line.trim().split(/\s+/);
    if (name === '' || name.startsWith('#')) continue;
    const digest = hex.toLowerCase();
    const owner = owners.get(digest);
    const complain = (why: string) => wrong.push(`line ${i + 1}: ${why}`);
    if (!NAME.test(name)) complain(`the name must be ${NAME_RULE}`);
    else if (!/^[\da-f]{64}$/.test(digest) || more.length > 0)
      complain('after the name must stand the SHA-256 of the key, 64 hex digits, and at most its stations');
    else if (stations !== undefined && !areStations(stations))
      complain(`after the key must stand ${STATIONS_RULE}`);
    else if (owner) complain(`the key is that of ${owner.name} already`);
    else owners.set(digest, { name, ...(stations && { stations: stations.split(',') }) });
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  // a caller cannot choose the digest of its key, so the time of the look-up tells it nothing of use
  return { count: owners.size, ownerOf: (key: string) => owners.get(hash('sha256', key)) };
}
