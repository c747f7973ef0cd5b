// API keys: creates keys, and reads their owners and stations from lines of names and digests.
import { hash, randomBytes } from 'node:crypto';
import { isAnyStation } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';

export interface KeyOwner {
  readonly name: string;
  /** The names of the stations that the key opens; undefined for all. */
  readonly stations?: readonly string[];
}

export interface ApiKeys {
  ownerOf(key: string): KeyOwner | undefined;
  /** Calls `listener` when the keys change. Missing if the keys never change. */
  onChange?(listener: () => void): void;
}

const NAME = /^[\w.-]{1,64}$/;
const STATIONS_RULE =
  'names of stations, separated by commas without spaces, such as garden,street. The name default is valid too';
const NAME_RULE = 'of at most 64 letters, digits, dots, hyphens and underscores';

/** Creates a key, with a prefix that secret scanners recognise, and its line for the file. By default it opens all stations. */
export function createKey(name: string, stations?: string): { key: string; line: string } {
  if (!NAME.test(name)) throw new AppError('BAD_REQUEST', `The name must be ${NAME_RULE}`);
  if (stations !== undefined && !areStations(stations))
    throw new AppError('BAD_REQUEST', `The stations must be ${STATIONS_RULE}`);
  const key = `am_${randomBytes(32).toString('base64url')}`;
  return { key, line: [name, hash('sha256', key), stations].filter(Boolean).join(' ') };
}

const areStations = (text: string) => text.split(',').every(isAnyStation);

/**
 * Parses lines of a name, the SHA-256 of a key in hex and optionally its stations. Skips blank lines and lines that
 * begin with `#`. A name may have several keys, so a key can be replaced while both are in use.
 *
 * @throws Error that gives the number of every bad line, but not its content
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
      complain('after the name, give the SHA-256 of the key (64 hex digits), then its stations or nothing');
    else if (stations !== undefined && !areStations(stations))
      complain(`after the SHA-256, give ${STATIONS_RULE}`);
    else if (owner) complain(`the key already belongs to ${owner.name}`);
    else owners.set(digest, { name, ...(stations && { stations: stations.split(',') }) });
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  // a caller cannot choose the digest of its key, so the time of the lookup reveals nothing
  return { count: owners.size, ownerOf: (key: string) => owners.get(hash('sha256', key)) };
}
