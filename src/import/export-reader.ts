// Strictly reads files from export.csv, in each of its formats.
import { BadInput } from '../commands/input-files.ts';
import { implausible, type TimeCheck } from '../commands/times/time-check.ts';
import { CSV_HEADER } from '../contract/point.ts';
import { checkCsvRow } from '../recorder/check-csv-row.ts';
import { createFieldReader, finalFault } from './line-fields.ts';

/** The file has sound pressure levels, and their reference is not known. */
export class NoReference extends BadInput {
  /** The time of its first level. */
  readonly time: string;
  constructor(time: string) {
    super(
      `The file has sound pressure levels, as export.csv writes with levels=absolute, and the station has no reference at ${time}: give that of the station that wrote it, such as --reference-db 100`,
    );
    this.time = time;
  }
}

/** @param referenceDb the reference of sound pressure levels. Undefined to refuse them; null to ask for it */
export function createExportReader(check: TimeCheck | undefined, referenceDb: number | null | undefined) {
  const fields = createFieldReader({});
  /** Undefined before the header. */
  let hasCommas: boolean | undefined;
  let isAbsolute: boolean | undefined;

  function readOne(given: string[], line: string) {
    if (hasCommas === undefined) {
      hasCommas = line.includes(';');
      const header = (fields.header() ?? given).join();
      if (header !== CSV_HEADER)
        return finalFault(
          'the header is wrong',
          `the header is ${JSON.stringify(header.slice(0, 80))}; it must be ${CSV_HEADER}. For another logger's file give its columns, such as --columns "time=Date,level=LAeq"`,
        );
      if (!fields.areObjects()) return undefined;
    }
    const cut = hasCommas
      ? given.map((text, index) => text.replace(',', '.') + (index === 0 ? 'Z' : ''))
      : given;
    const [time = '', level = ''] = cut;
    if (level !== '' && referenceDb !== undefined) {
      isAbsolute ??= Number(level) > 0;
      if (isAbsolute && referenceDb === null) throw new NoReference(time);
      // 12 digits remove the noise of the difference, and keep every digit of the level
      if (isAbsolute) cut[1] = String(Number((Number(level) - (referenceDb ?? 0)).toFixed(12)));
    }
    const row = checkCsvRow(cut);
    const wrong = 'fault' in row ? undefined : check?.(row.time);
    return 'fault' in row || wrong === undefined ? row : implausible(row.time, wrong);
  }

  return (lines: readonly string[]) => fields.read(lines, readOne);
}
