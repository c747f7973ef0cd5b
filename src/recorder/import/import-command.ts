// The `import` command: stores the points of files that export.csv or another logger wrote.
import { Command } from 'commander';
import type { RecorderIo } from '../recorder-io.ts';
import { firstRows, remarksOn, showDryRun, type TableReport } from './dry-run.ts';
import { followInput } from './follow-input.ts';
import {
  declareImportOptions,
  type GivenImport,
  type ImportOptions,
  readImportOptions,
} from './import-options.ts';
import { listTables, type TableFile } from './list-tables.ts';
import { changedWhileRead, type Reader, readTable, type TableCount } from './read-table.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { type ReadTable, storeTables } from './store-tables.ts';
import { createTableStatus } from './table-status.ts';
import { createTimeReader, type TimeReader } from './time-format.ts';

const ABOUT = `Stores the points of files: what GET /api/v1/export/csv writes, or with --columns what other loggers \
write. Compressed files (gzip) are known by their content. Nothing is stored where a line of any file is refused; \
else of each file all points are stored, or none.`;

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

interface ImportedTable extends ReadTable {
  readonly checked: TableCount | undefined;
  readonly read: TableCount;
}

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

/**
 * Several files are checked before anything is stored, and so is one that replaces, by its first point and its last: these
 * are read twice.
 */
async function importTables(paths: string[], options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.follows) return followInput(paths, options, io);
  await using files = await listTables(paths, io);
  const { layout, skipsBad, isDryRun, mode } = options;
  const isChecked = isDryRun || mode === 'replace' || files.list.length > 1;
  const times = layout && createTimeReader(layout.timeFormat, layout.zone);
  const refusals = isDryRun || skipsBad ? createRefusals() : undefined;
  const first = firstRows();
  const tables: ImportedTable[] = [];
  for (const [place, file] of files.list.entries()) {
    const readerOf = (verb: string, times: TimeReader | undefined, refusals: Refusals | undefined) => ({
      foreign: layout && times && { layout, times },
      refusals,
      show: createTableStatus(io, verb, place, files.list.length),
    });
    const timesBefore = times?.copy();
    const checked = isChecked ? { count: 0, clipped: 0 } : undefined;
    if (checked)
      for await (const rows of readTable(file, readerOf('checked', times, refusals), checked, io))
        first.add(rows);
    const read = { count: 0, clipped: 0 };
    const reader = () =>
      checked
        ? readerOf('sent', timesBefore, skipsBad ? createRefusals() : undefined)
        : readerOf('sent', times, refusals);
    tables.push({
      name: file.name,
      checked,
      read,
      rows: () => readToStore(file, reader(), read, checked, io),
    });
  }
  const report = (): TableReport => ({
    counts: tables.map(({ checked, read }) => checked ?? read),
    refusals,
    repeated: times?.repeated() ?? 0,
    zone: layout?.zone,
  });
  const say = () => remarksOn(report()).forEach(io.progress);
  if (isDryRun)
    return showDryRun({ ...report(), first: first.rows, skipsBad, offsetDb: layout?.offsetDb ?? 0 }, io);
  if (isChecked) say();
  await storeTables(tables, mode, io);
  if (!isChecked) say();
}

/** @throws BadInput where there are other points than were checked */
async function* readToStore(
  file: TableFile,
  reader: Reader,
  read: TableCount,
  checked: TableCount | undefined,
  io: RecorderIo,
) {
  yield* readTable(file, reader, read, io);
  const isOther = checked && (['count', 'first', 'last'] as const).some((key) => read[key] !== checked[key]);
  if (isOther) throw changedWhileRead(file);
}
