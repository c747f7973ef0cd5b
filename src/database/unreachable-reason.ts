// Explains to the operator why a database cannot be reached. Clients never see this.
import { codeOf, isLibraryGone, UNREACHABLE } from './faults.ts';

/** The meanings of pg's messages without a code, with the remedy. */
const WORDS: readonly [RegExp, string][] = [
  [
    /timeout expired|timeout exceeded when trying to connect|due to connection timeout/,
    'the server did not answer in time; check host and port in the URL, and firewalls',
  ],
  [
    /client password must be a(?: non-empty)? string/,
    'the server asks for a password, but the URL has none: set PGPASSWORD',
  ],
  [
    /does not support SSL/,
    'the server does not support TLS; leave sslmode out of the URL, or turn it on there',
  ],
];

const UPDATE_EXTENSION =
  'after a package update, run in a new session: alter extension timescaledb update (docs/how-to/upgrade.md)';

/** @returns why a database cannot be queried, with the remedy */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, words] = WORDS.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (words !== undefined) return words;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // a host with several addresses, each with its own reason
  if (error instanceof AggregateError) return Array.from(new Set(error.errors.map(reasonOf))).join('; ');
  const advice = isLibraryGone(error) ? UPDATE_EXTENSION : (UNREACHABLE.get(codeOf(error)) ?? null);
  return advice === null ? error.message : `${error.message}: ${advice}`;
}
