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
import { copyInput, listTables, type TableFile } from './list-tables.ts';
import { type Reader, readTable, type TableCount } from './read-table.ts';
import { createRefusals } from './refusals.ts';
import { storeTables } from './store-tables.ts';
import { createTimeReader } from './time-format.ts';

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
  if (!paths.includes('-')) return importFiles(await listTables(paths), options, io);
  if (paths.length > 1) throw new BadInput('- for standard input goes alone');
  await using input = await copyInput(io);
  await importFiles([input], options, io);
}

async function importFiles(
  files: readonly TableFile[],
  options: ImportOptions,
  io: RecorderIo,
): Promise<void> {
  const { layout, skipsBad, isDryRun } = options;
  const reader = readerOf(options);
  const first = firstRows();
  const counts: TableCount[] = [];
  for (const file of files) {
    const count: TableCount = { count: 0, clipped: 0 };
    for await (const rows of readTable(file, reader, count, io)) first.add(rows);
    counts.push(count);
  }
  const { refusals, times } = reader;
  const report = { counts, refusals, repeated: times?.repeated() ?? 0, zone: layout?.zone };
  if (isDryRun)
    return showDryRun({ ...report, first: first.rows, skipsBad, offsetDb: layout?.offsetDb ?? 0 }, io);
  for (const line of remarksOn(report)) io.progress(line);
  const again = readerOf(options);
  const tables = files.map((file, place) => ({
    name: file.name,
    count: counts[place] ?? { count: 0 },
    rows: () => readTable(file, again, { count: 0, clipped: 0 }, io),
  }));
  await storeTables(tables, options.mode, io);
}

function readerOf({ layout, ...options }: ImportOptions): Reader {
  return {
    layout,
    refusals: options.isDryRun || options.skipsBad ? createRefusals() : undefined,
    times: layout && createTimeReader(layout.timeFormat, layout.zone),
  };
}
