// The `restore` command: stores the points of a backup in an empty database, all or none.
import type { Readable } from 'node:stream';
import { Command } from 'commander';
import type { Period } from '../contract/periods.ts';
import { COLUMNS } from '../contract/point.ts';
import { BadInput, interrupted } from '../recorder/bad-input.ts';
import { openInput } from '../recorder/input-file.ts';
import { createTicker, percent } from '../recorder/progress.ts';
import { linesOf } from './backup-file.ts';
import { type Backup, leftOutText, readLines, startingWith } from './backup-format.ts';

const ABOUT = `Stores the points that \`npm run backup\` wrote, all or none, in a database without points. That is \
the embedded one in DATA_DIR, which no service may use meanwhile, or the server in DATABASE_URL, as the owner of its \
tables (MIGRATION_DATABASE_URL, if set). Points are kept as long as RAW_RETENTION says, else as long as the backed-up database \
kept them.`;

export interface RestoreTarget {
  /** Such as `The folder ./data`. */
  readonly name: string;
  isEmpty(): Promise<boolean>;
  /** Whether a point of this time is older than the retention: it would be removed. */
  isOlder(time: string, retention: string): Promise<boolean>;
  /** How long points are kept from now on: an interval, or `off`. */
  keepFor(retention: string): Promise<void>;
  /** All or none, and how they were recorded. @returns how many; 0 where others have stored points meanwhile */
  store(csv: AsyncIterable<string>, periods: readonly Period[]): Promise<number>;
  /** @throws once the signal aborts, where it can be ended */
  storeRollups(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface RestoreIo {
  open(): Promise<RestoreTarget>;
  /** RAW_RETENTION; undefined where it is not set. */
  retention: string | undefined;
  stdin: Readable;
  /** Shows a line to the user. */
  progress(line: string): void;
  signal: AbortSignal;
}

export function restoreCommand(io: () => RestoreIo): Command {
  return new Command('restore')
    .description(ABOUT)
    .argument('<FILE>', 'what `npm run backup` wrote, or - for standard input')
    .action((path: string) => restore(path, io()));
}

export async function restore(path: string, io: RestoreIo): Promise<void> {
  await using file = path === '-' ? undefined : await openInput(path);
  const stream = file?.stream ?? io.stdin;
  const name = file ? path : 'Standard input';
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
  };
  const share = () => (file?.size === undefined ? '' : `${percent(bytes, file.size)}, `);
  const backup = await readLines(name, linesOf(name, stream, io.signal, count));
  const rows = rowsOf(backup, io, share);
  const first = await rows.next(); // the oldest point, and whether the file can be read

  const target = await io.open();
  try {
    const notEmpty = new BadInput(
      `${target.name} has points already, and a backup is restored into an empty one`,
    );
    if (!(await target.isEmpty())) throw notEmpty;
    await target.keepFor(await retentionFor(backup, first.value, target, io));
    const stored = await target.store(startingWith(first.value ?? '', rows), backup.head.periods);
    if (stored === 0 && first.value !== undefined) throw notEmpty;
    io.progress('All points are stored; the rollups follow.');
    await target.storeRollups(io.signal).catch((error) => {
      if (!io.signal.aborted) throw error;
      io.progress('Interrupted: the service stores the rollups.');
    });
    const { left_out: leftOut } = backup.head;
    if (leftOut) io.progress(`The backup was made without ${leftOutText(leftOut)}.`);
    io.progress(`Stored ${stored.toLocaleString('en')} ${stored === 1 ? 'point' : 'points'}.`);
  } finally {
    await target.close();
  }
}

/** Never one that removes at once what is restored, unless the user has set it. */
async function retentionFor(
  { head }: Backup,
  first: string | undefined,
  target: RestoreTarget,
  io: RestoreIo,
): Promise<string> {
  const oldest = first?.slice(0, first.indexOf(','));
  const wanted = io.retention ?? head.raw_retention ?? 'off';
  const isOlder = oldest !== undefined && wanted !== 'off' && (await target.isOlder(oldest, wanted));
  if (isOlder && io.retention !== undefined)
    io.progress(`Warning: points older than ${wanted} are removed soon, as RAW_RETENTION says.`);
  else if (isOlder)
    io.progress(
      `Points of the backup are older than ${wanted}, which its database kept them. None are removed until you set RAW_RETENTION.`,
    );
  else if (head.raw_retention === null && io.retention === undefined)
    io.progress(
      'The backup does not say how long points are kept. None are removed until you set RAW_RETENTION.',
    );
  return isOlder && io.retention === undefined ? 'off' : wanted;
}

async function* rowsOf({ head, pieces }: Backup, io: RestoreIo, share: () => string): AsyncGenerator<string> {
  const tick = createTicker(io.progress);
  // columns that came later are null
  const missing = ','.repeat(COLUMNS.length - head.columns.length);
  for await (const { rows, points } of pieces) {
    if (io.signal.aborted) throw interrupted();
    const text = rows.toString('latin1');
    if (text !== '') yield missing === '' ? text : text.replaceAll('\n', `${missing}\n`);
    tick(() => `${share()}${points.toLocaleString('en')} points`);
  }
}
