// The shapes of files: headers, quoted values, objects in lines. Each is read whole, or refused with advice that works.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { readLineProtocol } from '../../src/contract/line-protocol.ts';
import { temporaryFolder } from '../process.ts';
import { file, imported, refusedImport } from '../recorder/run.ts';

const NAMES = ['--columns', 'time=Time,level=LAeq', '--reference-db', '100'];
const BY_POSITION = ['--columns', 'time,level', '--reference-db', '100'];
const time = (second: number) => `2026-03-01T20:15:${String(second).padStart(2, '0')}Z`;
const row = (second: number, level: string) => `${time(second).replace('Z', '.000000Z')},${level},,false`;

/** The character | stands for the end of a line. */
async function stored(text: string, ...args: string[]) {
  const { db, lines } = await imported([file(text.replaceAll('|', '\n')), ...args]);
  return { rows: db.rows, lines };
}
const rowsOf = async (text: string, ...args: string[]) => (await stored(text, ...args)).rows;
const refusal = (text: string, ...args: string[]) =>
  refusedImport([file(text.replaceAll('|', '\n')), ...args]);

async function expectFacts(message: string | Promise<string>, ...facts: string[]) {
  const said = await message;
  for (const fact of facts) expect(said).toContain(fact);
}

describe('A header', () => {
  const twice = (second: string, rest = '') =>
    `Time,LAeq,LAFmax|${time(0)},50,70|${second}|${rest || `${time(1)},70,51`}`;

  it('that comes again in another order is read anew, and told', async () => {
    const { rows, lines } = await stored(twice('Time,LAFmax,LAeq'), ...NAMES);
    expect(rows).toEqual([row(0, '-50'), row(1, '-49')]);
    await expectFacts(lines[0] ?? '', 'line 3', 'second header', 'another order');
    const wide = twice('Note,LAeq,LAFmax,Time', `a,51,70,${time(1)}|Time,LAeq,LAFmax|${time(2)},52,70`);
    expect(await rowsOf(wide, ...NAMES)).toEqual([row(0, '-50'), row(1, '-49'), row(2, '-48')]);
  });

  it('that comes again in the same order is skipped', async () => {
    for (const args of [NAMES, BY_POSITION]) {
      const { rows, lines } = await stored(twice('Time,LAeq,LAFmax', `${time(1)},51,70`), ...args);
      expect(rows).toEqual([row(0, '-50'), row(1, '-49')]);
      expect(lines).toHaveLength(1);
    }
    expect(await rowsOf(`# Time LAeq|${time(0)} 50|# Time LAeq|${time(1)} 51`, ...NAMES)).toHaveLength(2);
  });

  it('that comes again without a column is refused, even with --skip-bad', async () => {
    await expectFacts(refusal(twice('Time,LAFmax'), ...NAMES, '--skip-bad'), 'line 3', 'column "LAeq"');
  });

  it('that comes again in another order is refused if columns are chosen by position', async () => {
    const message = await refusal(twice('Time,LAFmax,LAeq'), ...BY_POSITION, '--skip-bad');
    await expectFacts(message, 'line 3', 'another order', '--columns time=Time,level=LAeq');
  });

  it('that comes again among lines of other series is read too', async () => {
    const text = `id,Time,LAeq|a,${time(0)},50|b,${time(0)},60|Time,LAeq,id|${time(1)},51,a|${time(1)},61,b`;
    expect(await rowsOf(text, ...NAMES, '--where', 'id=a')).toEqual([row(0, '-50'), row(1, '-49')]);
    const apart = await refusal(text, ...NAMES, '--station-by', 'id');
    expect(apart).toContain('There is no station a, b:');
  });

  it('may begin with #, as the name of a column or as a mark', async () => {
    const numbered = `"Plot Title: noise"|"#","Time",LAeq|1,${time(0)},50|2,${time(1)},51`;
    for (const text of [numbered, `#,Time,LAeq|${time(0)},50|${time(1)},51`])
      expect(await rowsOf(text, ...NAMES)).toEqual([row(0, '-50'), row(1, '-49')]);
  });

  it('may have any kind of blanks and of the letter µ in its names, and line breaks', async () => {
    const text = `Time;LAeq\u00a0(20\u202f\u00b5Pa);"the\nplace "|${time(0)};50;a|${time(1)};60;b`;
    const args = ['--columns', 'time=Time,level=LAeq (20 \u03bcPa)', '--reference-db', '100'];
    expect(await rowsOf(text, ...args, '--where', 'the place=a')).toEqual([row(0, '-50')]);
    const by = await refusal(text, ...args, '--station-by', 'the\u00a0place');
    expect(by).toContain('There is no station a, b');
  });

  it('that ends in a comma does not name a column for what is behind a decimal comma', async () => {
    const text = `Time,LAeq,|${time(0)},52,9|${time(1)},53,9`;
    for (const args of [NAMES, BY_POSITION])
      await expectFacts(refusal(text, ...args), 'line 2', '3 columns', '2 names', 'decimal commas');
    expect(await rowsOf(`Time,LAeq,|${time(0)},50,|${time(1)},51,`, ...NAMES)).toHaveLength(2);
    expect(await rowsOf(`,Time,LAeq|0,${time(0)},50|1,${time(1)},51`, ...NAMES)).toHaveLength(2);
  });
});

describe('A quoted value', () => {
  const note = (...lines: string[]) =>
    `Time,LAeq,Note|${time(0)},50,|${time(1)},51,${lines.join('|')}|${time(2)},52,"b"|${time(3)},53,x`;
  const seconds = (...some: number[]) => some.map((second) => row(second, `${second - 50}`));

  it('may have line breaks', async () => {
    for (const lines of [['"lorry', 'reversing"'], ['"lorry', '', '"",', 'end"'], [`"${'a|'.repeat(90)}"`]])
      expect(await rowsOf(note(...lines), ...NAMES)).toEqual(seconds(0, 1, 2, 3));
    const first = `Note,Time,LAeq|"two|lines",${time(0)},50|,${time(1)},51`;
    expect(await rowsOf(first, ...NAMES)).toEqual(seconds(0, 1));
  });

  it('keeps the numbers of the lines that follow', async () => {
    const bad = note('"lorry', 'reversing"').replace('53,x', 'loud,x');
    await expectFacts(refusal(bad, ...NAMES), 'line 6', '"loud"');
  });

  it('may continue in the next piece of the file', async () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => `${1_772_396_100 + n},50,"a|b"`);
    expect(await rowsOf(`Time,LAeq,Note|${rows.join('|')}`, ...NAMES)).toHaveLength(60_000);
  });

  it('that does not end costs its own line only', async () => {
    const strays = [note('"lorry'), note('"lorry', `${time(9)},59,"`), note('"a').replace(',"b"', ',b"')];
    for (const text of strays) {
      await expectFacts(refusal(text, ...NAMES), 'line 3', 'stray quotation mark', '--skip-bad');
      expect((await rowsOf(text, ...NAMES, '--skip-bad')).filter((one) => !one.includes(':09.'))).toEqual(
        seconds(0, 2, 3),
      );
    }
    const long = `Time,LAeq,Note|${time(0)},50,"|${`${time(1)},51,x|`.repeat(300)}`;
    expect(await rowsOf(long, ...NAMES, '--skip-bad', '--repeated', 'keep')).toHaveLength(300);
  });
});

describe('An object', () => {
  const objects = (...some: object[]) => some.map((one) => JSON.stringify(one)).join('|');
  const nested = (second: number, level: unknown) => ({
    result: { at: time(second), 'a.b': { list: [{ LAeq: level }] } },
  });
  const DOTTED = ['--columns', 'time=result.at,level=result.a.b.list.0.LAeq', '--reference-db', '100'];

  it('may have the values in members of members', async () => {
    const text = objects(nested(0, 50), nested(1, null), nested(2, '52'));
    expect(await rowsOf(text, ...DOTTED)).toEqual([row(0, '-50'), row(1, ''), row(2, '-48')]);
    const message = await refusal(text, '--columns', 'time=t,level=l');
    await expectFacts(message, 'line 1', '"result.at"', '"result.a.b.list.0.LAeq"');
  });

  it('whose level is a list is refused, with the members of the list', async () => {
    const message = refusal(objects({ Time: time(0), LAeq: [52, 61] }), ...NAMES);
    await expectFacts(message, 'line 1', '"LAeq" is a list', '"LAeq.0", "LAeq.1"');
  });

  it('without a level is refused, or skipped and counted on request', async () => {
    const text = objects({ Time: time(0), LAeq: 50 }, { Time: time(1), battery: 97 }, { battery: 96 });
    await expectFacts(refusal(text, ...NAMES), 'line 2', 'no member "LAeq"', '"battery"', '--skip-bad');
    const { rows, lines } = await stored(text, ...NAMES, '--skip-bad');
    expect(rows).toEqual([row(0, '-50')]);
    expect(lines[0]).toBe('Skipped 2 lines:');
    const first = objects(
      { battery: 96 },
      { Time: time(0), LAeq: 50, freq: 440 },
      { Time: time(1), LAeq: 51 },
    );
    const freq = ['--columns', 'time=Time,level=LAeq,freq=freq', '--reference-db', '100', '--skip-bad'];
    expect(await rowsOf(first, ...freq)).toEqual([row(0, '-50').replace(',,', ',440,'), row(1, '-49')]);
  });

  it('of another kind needs no level', async () => {
    const text = objects({ kind: 'noise', Time: time(0), LAeq: 50 }, { kind: 'status', battery: 97 });
    expect(await rowsOf(text, ...NAMES, '--where', 'kind=noise')).toEqual([row(0, '-50')]);
  });

  it('that a power cut broke is one bad line', async () => {
    const text = `${objects({ Time: time(0), LAeq: 50 })}|{"Time":"2026|${objects({ Time: time(1), LAeq: 51 })}`;
    expect(await rowsOf(text, ...NAMES, '--skip-bad')).toHaveLength(2);
  });
});

describe("A line of InfluxDB's line protocol", () => {
  const text = '# note|noise,place=street LAeq=52.3,max=61i 1772396100000000000';
  it('has its tags and fields by name', async () => {
    const args = ['--columns', 'time=time,level=LAeq', '--reference-db', '100', '--comment', '#'];
    expect(await rowsOf(text, ...args, '--where', 'place=street')).toEqual([row(0, '-47.7')]);
    await expectFacts(refusal(text.slice(7), ...BY_POSITION), '"time"', '"LAeq"', '--columns time=');
  });

  it('may have escaped names and quoted values', () => {
    expect(readLineProtocol('a\\ b,c\\,d=e\\=f g="h \\"i, j",k=t,n=-5i 12')).toEqual({
      ...{ measurement: 'a b', 'c,d': 'e=f', g: 'h "i, j', k: 't', n: '-5', time: '12' },
    });
    for (const other of ['Time,LAeq', `${time(0)},50`, 'noise', 'noise laeq=', 'noise laeq=1 x'])
      expect(readLineProtocol(other)).toBeUndefined();
  });
});

it('samples of Prometheus in braces are read by position, as the error says', async () => {
  const text = '{__name__="noise", place="street"} 52.3 1772396100000';
  const message = await refusal(text, ...BY_POSITION);
  const [, ...args] = /(--columns) (\S+) (--delimiter) (space)/.exec(message) ?? [];
  expect(await rowsOf(text, ...args, '--reference-db', '100')).toEqual([row(0, '-47.7')]);
});

describe('A file', () => {
  const text = `Time,LAeq\n${time(0)},50\n${time(1)},51\n`;

  it.each([
    ['an old spreadsheet', 'd0cf11e0a1b11ae1', 'save it as CSV'],
    ['a spreadsheet', '504b030414000600', 'save the spreadsheet as CSV'],
    ['xz', 'fd377a585a000004', 'xz -dc'],
    ['bzip2', '425a6839314159265359', 'bzip2 -dc'],
    ['a PDF', '255044462d312e37', 'export the table as CSV'],
    ['an SQLite database', '53514c69746520666f726d6174203300', 'sqlite3 -header -csv'],
    ['a damaged Parquet file', '50415231', 'cannot be read as Parquet'],
  ])('that is %s is named by its content', async (_what, hex, advice) => {
    const path = file(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(100)]), 'table.csv');
    await expectFacts(refusedImport([path, ...NAMES]), path, advice);
  });

  it('may be compressed with zstd', async () => {
    const { db } = await imported([file(zstdCompressSync(text)), ...NAMES]);
    expect(db.rows).toHaveLength(2);
  });

  it('of another program may be Parquet: times without a zone need --zone, lists are no levels', async () => {
    const columnData = [
      { name: 'Time', data: [0, 1].map((s) => new Date(time(s))), type: 'TIMESTAMP' as const },
      { name: 'LAeq', data: [50, 51], type: 'DOUBLE' as const },
      { name: 'bands', data: [[1, 2], [3]], type: 'JSON' as const },
    ];
    const path = file(Buffer.from(parquetWriteBuffer({ columnData })));
    expect((await imported([path, ...NAMES])).db.rows).toEqual([row(0, '-50'), row(1, '-49')]);
    const bands = ['--columns', 'time=Time,level=bands', '--reference-db', '100'];
    await expectFacts(refusedImport([path, ...bands]), 'line 2', '"[1,2]" is not a number');
  });

  it('may have any encoding that --encoding names', async () => {
    const bytes = Buffer.concat([Buffer.from('93fa8e9e', 'hex'), Buffer.from(text.slice('Time'.length))]);
    const args = ['--columns', 'time=日時,level=LAeq', '--reference-db', '100', '--encoding'];
    expect((await imported([file(bytes), ...args, 'Shift-JIS'])).db.rows).toHaveLength(2);
    await expectFacts(
      refusedImport([file(bytes), ...args, 'klingon']),
      '--encoding',
      "'klingon'",
      'shift_jis',
    );
  });

  it('of a folder is found by its content, whatever its name', async () => {
    const folder = temporaryFolder();
    const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
    put('a.jsonl', `{"Time":"${time(0)}","LAeq":50}\n`);
    put('b', zstdCompressSync(text.replaceAll('15:0', '16:0')));
    put('.hidden.csv', text);
    put('README.md', '# About\n\nThese are levels.\n');
    put('photo.csv', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)]));
    put('book.xlsx', 'PK\u0003\u0004');
    const { db, lines } = await imported([folder, ...NAMES]);
    expect(db.rows).toHaveLength(3);
    await expectFacts(lines[0] ?? '', '3 files', 'README.md', 'photo.csv', 'book.xlsx');
  });
});

describe('An object that holds the rows of a table', () => {
  const list = (row: (n: number) => string) => `[${Array.from({ length: 11 }, (_, n) => row(n)).join()}]`;

  it.each([
    ['in pairs', `{"data":[{"values":${list((n) => `[${n},"52"]`)}}]}`, `.data[0].values[] | @csv`],
    ['as objects', `{"data":[{"values":${list((n) => `{"t":${n}}`)}}]}`, `jq -c '.data[0].values[]'`],
    ['in columns', `{"data":[{"values":${list(String)}}]}`, `[.data[0].values,.l] | transpose[] | @csv`],
  ])('%s is refused, with the command that writes them as lines', async (_what, text, command) => {
    const columns = ['--reference-db', '100', '--columns'];
    await expectFacts(refusal(text, ...columns, 'time=t,level=l'), 'only the members "data.0.values"');
    await expectFacts(refusal(text, ...columns, 'time=data.0.values,level=l'), 'a list of 11', command);
  });
});

it('Columns separated by | are found without a header', async () => {
  const { db } = await imported([file(`${time(0)}|50\n`), ...BY_POSITION]);
  expect(db.rows).toEqual([row(0, '-50')]);
});

it('Comments of OpenMetrics are neither a header nor points', async () => {
  const text = '# TYPE noise gauge|noise{mic="a"} 50 1794521700|noise{mic="a"} 51 1794521701|# EOF';
  const columns = ['--columns', '-,level,time', '--delimiter', 'space', '--reference-db', '100'];
  expect(await rowsOf(text, ...columns)).toHaveLength(2);
  expect(await rowsOf(text, ...columns, '--where', '1=noise{mic="a"}')).toHaveLength(2);
});

it('Lines without a delimiter do not decide how to separate columns', async () => {
  const text = `Noise logger|Time;LAeq|${time(0)};50,5`;
  expect(await rowsOf(text, ...BY_POSITION, '--skip-bad')).toEqual([row(0, '-49.5')]);
});

it('The names of a header with delimiters are not split at blanks', async () => {
  const args = ['--columns', 'time=Date,level=Leq', '--reference-db', '100'];
  await expectFacts(refusal(`Date time,LAeq dB|${time(0)},50`, ...args), 'one of "Date time", "LAeq dB"');
});
