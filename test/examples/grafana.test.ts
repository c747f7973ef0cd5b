// The dashboard in `examples/grafana`: runs its SQL on each server, and its requests to the service, as Grafana does.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import type { Point } from '../../src/client/index.ts';
import { describeEachServer, openForAll } from '../engines.ts';
import { NOW, startTestService } from '../service.ts';
import { EXAMPLES, storeHour } from './run.ts';

interface Target {
  rawSql?: string;
  format: string;
  url?: string;
  root_selector?: string;
  columns?: { selector: string; text: string }[];
}

const dashboard = JSON.parse(readFileSync(new URL('grafana/dashboard.json', EXAMPLES), 'utf8'));
const panels: { title: string; targets: [Target] }[] = dashboard.panels;
const variables: { name: string; query: string; current: { value?: string } }[] = dashboard.templating.list;

const FROM = '2026-03-01T11:00:00.000Z';
const TO = '2026-03-01T12:00:00.000Z';

/** Substitutes the dashboard's own variables and Grafana's, as Grafana does in every query. */
function withVariables(text: string, service: string): string {
  const values: Record<string, string> = {
    ...Object.fromEntries(variables.map(({ name, current }) => [`\${${name}}`, current.value ?? ''])),
    '${service}': service,
    '${__from:date:iso}': FROM,
    '${__to:date:iso}': TO,
    $__interval: '10m',
  };
  return text.replace(/\$\{[^}]+\}|\$__interval/g, (name) => values[name] ?? expect.fail(`no ${name}`));
}

/**
 * Expands macros like Grafana's PostgreSQL data source (`macros.go`), with its TimescaleDB switch on or off.
 */
function withMacros(sql: string, timescale: boolean): string {
  return sql.replace(/\$(\w+)\(([^)]*)\)/g, (_, macro: string, list: string) => {
    const [column, interval] = list.split(',').map((text) => text.trim());
    if (macro === '__timeFilter') return `${column} BETWEEN '${FROM}' AND '${TO}'`;
    if (macro === '__timeGroupAlias' && interval === '10m')
      return timescale
        ? `time_bucket('600.000s',${column}) AS "time"`
        : `floor(extract(epoch from ${column})/600)*600 AS "time"`;
    return expect.fail(`no macro ${macro}(${list})`);
  });
}

it('queries the two data sources that its variables name', () => {
  const types = { postgresql: 'grafana-postgresql-datasource', infinity: 'yesoreyeram-infinity-datasource' };
  for (const { targets, ...panel } of dashboard.panels) {
    const source = targets[0].rawSql ? 'postgresql' : 'infinity';
    expect([panel.datasource, targets[0].datasource]).toEqual(
      Array(2).fill({ type: types[source], uid: `\${${source}}` }),
    );
  }
  expect(variables).toMatchObject([
    { type: 'datasource', name: 'postgresql', query: types.postgresql },
    { type: 'datasource', name: 'infinity', query: types.infinity },
    { name: 'service', query: 'http://127.0.0.1:3000' },
    { name: 'levels', query: 'absolute,stored', current: { value: 'absolute' } },
    { name: 'threshold', query: '70' },
    { name: 'stored_threshold', query: '-10' },
  ]);
});

describeEachServer('The Grafana dashboard', (engine) => {
  const service = openForAll(() => startTestService(engine, { site: { calibrationOffsetDb: 90 } }));
  const answers = new Map<string, Record<string, unknown>[]>();

  /** The rows of a panel, under its own column names. */
  async function run({ rawSql, url = '', root_selector: root, columns = [] }: Target) {
    if (rawSql)
      return await service.sql(withMacros(withVariables(rawSql, ''), engine.name === 'TimescaleDB'));
    const address = withVariables(url, service.url);
    const response = await fetch(address);
    // biome-ignore lint/suspicious/noExplicitAny: a test knows its columns
    const body: any = await response.json();
    expect([address, response.status]).toEqual([address, 200]);
    return [root ? body[root] : body].flat().map((row) => {
      expect(Object.keys(row)).toEqual(expect.arrayContaining(columns.map(({ selector }) => selector)));
      return Object.fromEntries(columns.map(({ selector, text }) => [text, row[selector]]));
    });
  }

  beforeAll(async () => {
    await service.sql(storeHour(NOW));
    for (const { title, targets } of panels) answers.set(title, await run(targets[0]));
  });

  it('shows something in every panel', () => {
    for (const { title } of panels) expect([title, answers.get(title)]).not.toEqual([title, []]);
  });

  it('computes the same figures in SQL as the API', async () => {
    const interval = `from=${FROM}&to=${TO}`;
    const { body: series } = await service.get(`/stats/series?${interval}&bucket=10m`);
    const bySql = answers.get('Level, by SQL, as stored')?.map(({ time, ...levels }) => ({
      ...levels,
      time: time instanceof Date ? time.getTime() : Number(time) * 1000,
    }));
    // Grafana's filter includes its end, unlike the API's interval, so its rows have one bucket more
    expect(bySql?.slice(0, 6)).toEqual(
      series.buckets.map(({ time, max_db, leq_db, min_db }: Record<string, number>) => ({
        time: Date.parse(String(time)),
        Highest: max_db,
        Leq: expect.closeTo(leq_db ?? Number.NaN, 9),
        Lowest: min_db,
      })),
    );
    expect(series.buckets).toHaveLength(6);

    const { body: summary } = await service.get(`/stats/summary?from=${FROM}&to=2026-03-01T12:01:00Z`);
    expect(answers.get('Silence')).toEqual([{ Silence: expect.closeTo(summary.silence_percent, 9) }]);

    const { body: latest } = await service.get('/audio/latest?limit=1&levels=absolute');
    expect(answers.get('Level now')).toEqual([{ Level: latest.points[0].rms_db }]);

    const { body: loud } = await service.get(`/events/loud?${interval}&threshold=-10&limit=100`);
    expect(answers.get('Loud points, by SQL, as stored')).toEqual(
      loud.points.map(({ time, rms_db, frequency_hz }: Point) => ({
        time: new Date(time),
        rms_db,
        frequency_hz,
      })),
    );
    expect(loud.points).toHaveLength(100);
  });

  it("shows the API's figures, chart and events under the dashboard's own names", async () => {
    const [figures] = answers.get('Figures of the whole time') ?? [];
    expect(figures).toMatchObject({ Leq: expect.any(Number), L10: 50, Highest: 84.5 });
    expect(answers.get('Level')).toHaveLength(360);
    // the hour cuts another event to a second
    expect(answers.get('Noise events')?.map(({ Highest }) => Highest)).toEqual(Array(6).fill(84.5));
  });
});
