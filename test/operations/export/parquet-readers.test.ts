// The manual's tools for exports read the same points from Parquet and CSV. Missing tools are skipped.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSmallService } from '../../client/embedded-service.ts';
import { openForAll } from '../../engines.ts';
import { needs } from '../../needs.ts';
import { firstThatRuns, run } from '../../program.ts';

const page = readFileSync(new URL('../../../docs/how-to/export.md', import.meta.url), 'utf8');
/** The manual's Parquet example in this language that contains `word`. */
function snippet(language: string, word: string): string {
  const found = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].find(
    ([, name, text]) => name === language && text?.includes(word) && text.includes('week.parquet'),
  );
  if (!found?.[2]) throw new Error(`The page has no lines of ${language} with ${word}`);
  return found[2];
}

const tools = [
  {
    name: 'pandas',
    imports: 'pandas, pyarrow',
    compare: `
import pandas
points = pandas.read_parquet('week.parquet')
lines = pandas.read_csv('week.csv', parse_dates=['time'])
assert str(points['time'].dtype) == 'datetime64[us, UTC]', points.dtypes
lines = lines.astype(points.dtypes)
pandas.testing.assert_frame_equal(points, lines)
print(len(points), int(points['rms_db'].isna().sum()), int(points['is_silence'].sum()))`,
    manual: snippet('python', 'pandas'),
  },
  {
    name: 'Polars',
    imports: 'polars',
    compare: `
import polars
from polars.testing import assert_frame_equal
points = polars.read_parquet('week.parquet')
assert points.schema['time'] == polars.Datetime('us', 'UTC'), points.schema
lines = polars.read_csv('week.csv', schema_overrides={'time': polars.String})
lines = lines.with_columns(polars.col('time').str.to_datetime('%Y-%m-%dT%H:%M:%S%.6fZ', time_unit='us', time_zone='UTC'))
assert_frame_equal(points, lines.cast(dict(points.schema)))
print(len(points), points['rms_db'].null_count(), points['is_silence'].sum())`,
    manual: snippet('python', 'polars'),
  },
  {
    name: 'DuckDB',
    imports: 'duckdb',
    compare: `
import duckdb
duckdb.sql("set TimeZone = 'UTC'")
duckdb.sql("create table points as select row_number() over () as index, * from 'week.parquet'")
duckdb.sql("""create table lines as select row_number() over () as index, * from read_csv('week.csv',
  columns={'time': 'timestamptz', 'rms_db': 'real', 'frequency_hz': 'integer', 'is_silence': 'boolean'})""")
types = [row[0] for row in duckdb.sql("select column_type from (describe points)").fetchall()]
assert types[1:] == ['TIMESTAMP WITH TIME ZONE', 'FLOAT', 'INTEGER', 'BOOLEAN'], types
for one, other in [('points', 'lines'), ('lines', 'points')]:
    assert duckdb.sql(f'from {one} except all from {other}').fetchall() == []
print(*duckdb.sql("select count(*), count(*) - count(rms_db), count(*) filter (where is_silence) from points").fetchone())`,
    manual: `import duckdb\nprint(duckdb.sql("""${snippet('sql', 'time_bucket')}"""))`,
  },
].map((tool) => ({
  ...tool,
  python: firstThatRuns(['python3', '-c', `import ${tool.imports}`]),
}));

const POINTS = 86_400;
const service = openForAll(() => startSmallService());
const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  await service.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
    select '2026-01-12Z'::timestamptz + n * interval '1.000001 s', nullif(-(n % 5001) / 100.0, -3)::real,
      nullif(100 + n % 7900, 105), n % 3 = 0 from generate_series(0, ${POINTS} - 1) n`);
  for (const format of ['parquet', 'csv']) {
    const path = `/api/v1/export/csv?from=2026-01-12T00:00:00Z&to=2026-02-01T00:00:00Z&format=${format}`;
    const response = await fetch(`${service.url}${path}`);
    expect(response.status).toBe(200);
    writeFileSync(join(folder, `week.${format}`), Buffer.from(await response.arrayBuffer()));
  }
});

for (const { name, python, compare, manual } of tools) {
  it(`${name} reads the same points from Parquet and from CSV, in order`, needs(name, python), async () => {
    const { stdout, stderr } = await run([python ?? '', '-c', compare], { cwd: folder });
    expect(stderr).toBe('');
    expect(stdout).toBe(`${POINTS} 18 ${POINTS / 3}\n`);
  });

  it(`${name} runs the manual's example`, needs(name, python), async () => {
    const { status, stdout, stderr } = await run([python ?? '', '-c', manual], { cwd: folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('2026-01-12'); // the day of the points
  });
}
