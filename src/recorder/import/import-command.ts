// The `import` command: stores the points of files that export.csv or another logger wrote.
import { Command } from 'commander';
import type { RecorderIo } from '../recorder-io.ts';
import type { RereadableFile } from '../sources/readable-twice.ts';
import { firstRows, remarksOn, showDryRun, type TableReport } from './dry-run.ts';
import { followInput } from './follow-input.ts';
import {
  declareImportOptions,
  type GivenImport,
  type ImportOptions,
  readImportOptions,
} from './import-options.ts';
import { listTables } from './list-tables.ts';
import { changedWhileRead, type Reader, readTable, type TableCount } from './read-table.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { type ReadTable, storeTables } from './store-tables.ts';
import { createTableStatus } from './table-status.ts';
import { createTimeReader, type TimeReader } from './time-format.ts';

const ABOUT = `Stores the points of files: what GET /api/v1/export/csv writes, or with --columns what other loggers \
write. Compressed files (gzip) are known by their content. Nothing is stored if a line of any file is refused: all files are \
read once before. Then of each file all points are stored, or none; of more than 50,000, that many at a time, oldest first.`;

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

/** Each file is read twice: checked before anything is stored. */
async function importTables(paths: string[], options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.follows) return followInput(paths, options, io);
  await using files = await listTables(paths, io);
  const { layout, skipsBad, isDryRun, mode } = options;
  const times = layout && createTimeReader(layout.timeFormat, layout.zone);
  const refusals = isDryRun || skipsBad ? createRefusals() : undefined;
  const first = firstRows();
  const tables: ReadTable[] = [];
  for (const [place, file] of files.list.entries()) {
    const readerOf = (verb: string, times: TimeReader | undefined, refusals: Refusals | undefined) => ({
      foreign: layout && times && { layout, times },
      refusals,
      show: createTableStatus(io, verb, place, files.list.length),
    });
    const timesBefore = times?.copy();
    const checked: TableCount = { count: 0, clipped: 0 };
    for await (const rows of readTable(file, readerOf('checked', times, refusals), checked, io))
      first.add(rows);
    const reader = () => readerOf('stored', timesBefore, skipsBad ? createRefusals() : undefined);
    tables.push({ name: file.name, checked, rows: () => readAgain(file, reader(), checked, io) });
  }
  const report: TableReport = {
    counts: tables.map(({ checked }) => checked),
    refusals,
    repeated: times?.repeated() ?? 0,
    zone: layout?.zone,
  };
  if (isDryRun)
    return showDryRun({ ...report, first: first.rows, skipsBad, offsetDb: layout?.offsetDb ?? 0 }, io);
  remarksOn(report).forEach(io.progress);
  await storeTables(tables, mode, io);
}

/** @throws BadInput if there are other points than were checked */
async function* readAgain(file: RereadableFile, reader: Reader, checked: TableCount, io: RecorderIo) {
  const read: TableCount = { count: 0, clipped: 0 };
  yield* readTable(file, reader, read, io);
  const isOther = (['count', 'first', 'last'] as const).some((key) => read[key] !== checked[key]);
  if (isOther) throw changedWhileRead(file);
}
