// The options of `import`: how another logger's file is read, and what becomes of its points.
import type { Command } from 'commander';
import { createOptionReader, decimal, flagOf, type Given, repeated, wholeNumber } from '../option-reader.ts';
import { COLUMNS_ALLOWED, parseColumns } from './column-choice.ts';
import type { Shape } from './line-fields.ts';
import type { Reading } from './line-reader.ts';
import { FORMAT_ALLOWED, parseTimeFormat, type TimeFormat } from './time-format.ts';
import { readIso } from './time-pattern.ts';
import { isZone, ZONE_ALLOWED } from './wall-clock.ts';

const OF_FOREIGN = ['timeFormat', 'zone', 'offsetDb', 'delimiter', 'skipLines', 'comment'] as const;
type Name = 'columns' | (typeof OF_FOREIGN)[number];
type Flag = 'clip' | 'skipBad' | 'dryRun' | 'add' | 'replace' | 'follow';
export type GivenImport = Given<Name> & { readonly [name in Flag]?: boolean };

/** How the file of another logger is laid out. */
export interface Layout extends Shape, Reading {
  readonly timeFormat: TimeFormat;
  readonly zone: string | undefined;
}

export interface ImportOptions {
  /** Undefined for what export.csv writes. */
  readonly layout: Layout | undefined;
  /** Whether lines that cannot be read are left out. */
  readonly skipsBad: boolean;
  readonly isDryRun: boolean;
  /** What becomes of points that are there, between the first and the last of a file. */
  readonly mode: 'add' | 'new' | 'replace';
  /** Whether lines are stored as they come. */
  readonly follows: boolean;
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ...{ ',': ',', ';': ';', '|': '|' },
  ...{ tab: '\t', '\t': '\t', space: ' ', ' ': ' ' },
};

export function declareImportOptions(command: Command): Command {
  return command
    .addOption(
      repeated(
        '--columns <LIST>',
        'the columns of another logger: by place, - for one to skip (time,level,-,freq), or by the names in its header ("time=Date Time,level=LAeq"). The fields are time, level, freq, silence, and date where that has a column of its own (default: the file is of export.csv)',
      ),
    )
    .addOption(
      repeated(
        '--time-format <FORMAT>',
        'how times are written: iso, unix for seconds and unix-ms for milliseconds since 1970, or a pattern such as "DD.MM.YYYY HH:mm:ss" or "MM/DD/YYYY hh:mm:ss AM". In iso a space may stand for T, and seconds and zone may be missing (default iso)',
      ),
    )
    .addOption(
      repeated(
        '--zone <ZONE>',
        'the zone of times that say none: Europe/Vienna, UTC, or +01:00 for a clock without summer time (default: such times are refused)',
      ),
    )
    .addOption(
      repeated(
        '--offset-db <DB>',
        'added to each level, -300 to 300 dB: -100 stores a sound pressure level of 100 dB as 0, and one of 50 as -50 (default 0)',
      ),
    )
    .option(
      '--clip',
      'store levels below -50 as -50, those above 0 as 0, and no frequency where it is not 100 to 8000 Hz, and say how many (default: they are refused)',
    )
    .addOption(
      repeated(
        '--delimiter <CHAR>',
        'what is between columns: , ; | tab or space (default: , ; or tab, as the first line suggests)',
      ),
    )
    .addOption(
      repeated(
        '--skip-lines <N>',
        'lines before the header or the first point to leave out, 0 to 100000 (default 0)',
      ),
    )
    .addOption(
      repeated('--comment <TEXT>', "leave out lines that begin with this, such as '#' (default: none)"),
    )
    .option(
      '--skip-bad',
      'leave out lines that cannot be read, and say how many (default: the first one is refused, and nothing stored)',
    )
    .option(
      '--replace',
      'remove the points that are there from the first to the last of a file, and store those of the file, 50,000 at a time (default: a file whose time has points is refused)',
    )
    .option('--add', 'store the points of the file beside those that are there')
    .option(
      '--follow',
      'store the lines of standard input as they come, within a second or so; one that cannot be read is told and left out. It ends with the input, or by a signal',
    )
    .option(
      '--dry-run',
      'store nothing: show the first points as they would be stored, and how many lines would be refused for what. The database is not asked',
    );
}

/** @throws AppError BAD_REQUEST with one line for each wrong argument */
export function readImportOptions(given: GivenImport): ImportOptions {
  const { clip: clips = false, skipBad: skipsBad = false, dryRun: isDryRun = false, ...others } = given;
  const { add = false, replace = false, follow: follows = false, ...texts } = others;
  const { read, has, fault, end } = createOptionReader<Name>(texts);
  const columns = read('columns', parseColumns, COLUMNS_ALLOWED);
  const timeFormat = read('timeFormat', parseTimeFormat, FORMAT_ALLOWED);
  const zone = read('zone', (text) => (isZone(text) ? text : undefined), ZONE_ALLOWED);
  const offsetDb = read('offsetDb', decimal(-300, 300), 'a plain decimal number of dB, -300 to 300');
  const delimiter = read('delimiter', (text) => DELIMITERS[text.toLowerCase()], 'one of , ; | tab space');
  const skipLines = read('skipLines', wholeNumber(0, 100_000), 'a whole number, 0 to 100000');
  const comment = read('comment', (text) => text || undefined, 'some text');
  if (!has('columns'))
    for (const flag of [...OF_FOREIGN.filter(has).map(flagOf), ...(clips ? ['--clip'] : [])])
      fault(flag, 'not allowed without --columns: what export.csv writes needs none');
  if (add && replace) fault('--add', 'not allowed with --replace');
  if (follows && isDryRun) fault('--dry-run', 'not allowed with --follow');
  if (follows && replace) fault('--replace', 'not allowed with --follow');
  end();
  return {
    layout: columns && {
      columns,
      timeFormat: timeFormat ?? { name: 'iso', read: readIso },
      zone,
      offsetDb: offsetDb ?? 0,
      clips,
      delimiter,
      skipLines: skipLines ?? 0,
      comment,
      hasLooseQuotes: true,
    },
    skipsBad,
    isDryRun,
    follows,
    mode: add ? 'add' : replace ? 'replace' : 'new',
  };
}
