// The `import` command: stores the points of files that export.csv or another logger wrote.
import { Command } from 'commander';
import { BadInput } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { firstRows, remarksOn, showDryRun } from './dry-run.ts';
import { followInput } from './follow-input.ts';
import {
  declareImportOptions,
  type GivenImport,
  type ImportOptions,
  readImportOptions,
} from './import-options.ts';
import { listTables, type TableFile } from './list-tables.ts';
import { type Reader, readTable, type TableCount } from './read-table.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { type ReadTable, storeTables } from './store-tables.ts';
import { createTableStatus } from './table-status.ts';
import { createTimeReader, type TimeReader } from './time-format.ts';

const ABOUT = `Stores the points of files: what GET /api/v1/export/csv writes, or with --columns what other loggers \
write. Compressed files (gzip) are known by their content. Nothing is stored where a line of any file is refused; then \
of each file all points are stored, or none.`;

const EXAMPLES = `
  import points.csv
      what export.csv wrote
  import log.csv --columns "time=Date Time,level=LAeq" --zone Europe/Vienna --offset-db -100 --dry-run
      shows what would be stored of another logger's file: sound pressure levels of 50 to 100 dB
  import points.csv --replace
      stores the file again, in place of the points that are there from its first to its last
  import folder --columns date,time,-,level --time-format "DD.MM.YYYY HH:mm:ss" --zone +01:00
      every .csv, .tsv, .txt, .log and .dat file in a folder, packed or not
  import - --follow --columns time,level --time-format unix --offset-db -100
      lines of standard input as they come, such as those of mosquitto_sub -F '%U,%p' -t level

docs/how-to/import.md has the commands for the files of many loggers.`;

export function importCommand(open: () => RecorderIo): Command {
  return declareImportOptions(
    new Command('import').description(ABOUT).argument('<FILE...>', 'files, folders, or - for standard input'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], given: GivenImport) => {
      const options = readImportOptions(given);
      const io = open();
      try {
        await importTables(paths, options, io);
      } finally {
        io.status(undefined);
      }
    });
}

/** Reads each file twice: to check all before anything is stored, and to store it. */
async function importTables(paths: string[], options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.follows) return followInput(paths, options, io);
  await using files = await listTables(paths, io);
  const { layout, skipsBad, isDryRun } = options;
  const times = layout && createTimeReader(layout.timeFormat, layout.zone);
  const refusals = isDryRun || skipsBad ? createRefusals() : undefined;
  const first = firstRows();
  const tables: ReadTable[] = [];
  const counts: TableCount[] = [];
  for (const [place, file] of files.list.entries()) {
    const readerOf = (verb: string, times: TimeReader | undefined, refusals: Refusals | undefined) => ({
      foreign: layout && times && { layout, times },
      refusals,
      show: createTableStatus(io, verb, place, files.list.length),
    });
    const timesAgain = times?.copy();
    const count: TableCount = { count: 0, clipped: 0 };
    for await (const rows of readTable(file, readerOf('checked', times, refusals), count, io))
      first.add(rows);
    counts.push(count);
    const again = () => readerOf('sent', timesAgain, skipsBad ? createRefusals() : undefined);
    tables.push({ name: file.name, count, rows: () => readAgain(file, again(), count, io) });
  }
  const report = { counts, refusals, repeated: times?.repeated() ?? 0, zone: layout?.zone };
  if (isDryRun)
    return showDryRun({ ...report, first: first.rows, skipsBad, offsetDb: layout?.offsetDb ?? 0 }, io);
  for (const line of remarksOn(report)) io.progress(line);
  await storeTables(tables, options.mode, io);
}

/** @throws BadInput where there are other points than before, as in a log that is being written */
async function* readAgain(file: TableFile, reader: Reader, before: TableCount, io: RecorderIo) {
  const now: TableCount = { count: 0, clipped: 0 };
  yield* readTable(file, reader, now, io);
  if (now.count !== before.count || now.first !== before.first || now.last !== before.last)
    throw new BadInput(
      `${file.name} changed while it was read: nothing of it is stored. Import a copy of it`,
    );
}
