// Posts of points: stored once they are answered, each once, and refused with the reason.
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/http/edge/api-keys.ts';
import { describeEachEngine, describeEmbeddedAndOnWire, describeOnWire, openForAll } from '../engines.ts';
import { call, callStation, serve } from '../in-process.ts';
import { dataFolder } from '../process.ts';
import { createRun, file, importCsv, type Run, refusedImport } from '../recorder/run.ts';

const JSON_COLUMNS = ['--columns', 'time=t,level=db', '--reference-db', '100'];

/** Listens until the test ends. */
async function listen(args: readonly string[], run: Run = createRun()) {
  const ended = importCsv(['--listen', '127.0.0.1:0', ...args], run.io);
  const stop = async () => {
    run.abort.abort();
    await ended;
  };
  onTestFinished(stop);
  return { run, stop, ...postingTo(await addressIn(() => run.lines.join('\n'))) };
}

async function addressIn(output: () => string): Promise<string> {
  await expect.poll(output).toContain('Listening');
  return /Listening for points at (http:\/\/[\d.:]+)/.exec(output())?.[1] ?? '';
}

const postingTo = (address: string) => ({
  address,
  async post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const answer = await fetch(`${address}${path}`, { method: 'POST', body, headers });
    const text = await answer.text();
    return text === '' ? answer.status : { ...JSON.parse(text), headers: answer.headers };
  },
});

describeEachEngine('Posts', (engine) => {
  const test = openForAll(() => engine.open());
  const stored = async () => {
    const rows = await test.sql(`
      select extract(epoch from time)::float8 as s, rms_db from audio_data order by time, rms_db`);
    return rows.map(({ s, rms_db }) => [s, rms_db]);
  };
  const listening = async (...args: string[]) => {
    await test.sql('truncate audio_data');
    return listen(args, createRun({ onto: test.db }));
  };

  it('of an export, of JSON, of line protocol and of gzip are in the database within seconds', async () => {
    const csv = await listening();
    const header = 'time,rms_db,frequency_hz,is_silence\n';
    expect(await csv.post('/default', `${header}2026-01-01T00:00:00.000000Z,-20.5,440,false\n`)).toBe(204);
    await expect.poll(stored).toEqual([[1767225600, -20.5]]);
    const json = await listening(...JSON_COLUMNS);
    expect(await json.post('/default', '{"t":1767225600,"db":70}\n{"t":1767225601,"db":71}')).toBe(204);
    const zipped = gzipSync('{"t":1767225602,"db":72}\n');
    expect(await json.post('/default', zipped, { 'content-encoding': 'gzip' })).toBe(204);
    await expect.poll(stored).toEqual([
      [1767225600, -30],
      [1767225601, -29],
      [1767225602, -28],
    ]);
    const lines = await listening('--columns', 'time=time,level=db', '--where', 'measurement=sound');
    const metrics = 'cpu,host=a idle=3 1767225600000000000\nsound,host=a db=-3.5 1767225601000000000\n';
    for (const path of ['/default/write?db=x&precision=ns', '/default/api/v2/write?bucket=x', '/default'])
      expect(await lines.post(path, metrics)).toBe(204);
    expect(await lines.post('/default', 'cpu,host=a idle=3 1767225600000000000')).toBe(204);
    await expect.poll(stored).toEqual([[1767225601, -3.5]]);
  });

  it('that are repeated are stored once, with a key or if each line has its own time', async () => {
    const { post } = await listening(...JSON_COLUMNS);
    for (let n = 0; n < 3; n++) expect(await post('/default', '{"t":1767225600,"db":70}')).toBe(204);
    const keyed = (db: number) => post('/default', `{"t":1767225601,"db":${db}}`, { 'idempotency-key': 'a' });
    for (let n = 0; n < 2; n++) expect(await keyed(71)).toBe(204);
    expect(await keyed(72)).toMatchObject({
      status: 422,
      detail: 'Idempotency-Key a came with another body: use a new key for each post',
    });
    expect(await keyed(71)).toBe(204);
    const corrected = (body: string) => post('/default', body, { 'idempotency-key': 'corrected' });
    expect(await corrected('{"t":1767225603}')).toMatchObject({ status: 400 });
    expect(await corrected('{"t":1767225603,"db":73}')).toBe(204);
    await Promise.all([74, 75].map((db) => post('/default', `{"t":1767225602,"db":${db}}`)));
    await expect.poll(stored).toHaveLength(5);
    const timeless = await listening('--columns', 'level=db');
    for (let n = 0; n < 3; n++) expect(await timeless.post('/default', '{"db":-3}')).toBe(204);
    for (let n = 0; n < 3; n++)
      expect(await timeless.post('/default', 'dnms,node=esp db=-4', { 'idempotency-key': 'b' })).toBe(204);
    await timeless.stop();
    expect((await stored()).map(([, db]) => db).sort()).toEqual([-3, -3, -3, -4]);
  });
});

describeOnWire('A post of points older than the retention', (engine) => {
  const test = openForAll(() => engine.open());

  it('is stored, and the log warns once a minute that they expire soon', async () => {
    await test.sql(`update audio_data_refreshes set raw_retention = '35 days'`);
    const { run, post } = await listen(JSON_COLUMNS, createRun({ onto: test.db }));
    const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
    const seconds = Math.floor(Date.now() / 1000);
    for (const [index, days] of [30, 40, 41].entries()) {
      expect(await post('/default', `{"t":${seconds - days * 86_400},"db":70}`)).toBe(204);
      await expect.poll(count).toBe(index + 1);
    }
    const warnings = () => run.lines.filter((line) => line.startsWith('Warning: '));
    await expect.poll(warnings).toHaveLength(1);
    expect(warnings()[0]).toMatch(/points before .* expire soon, because RAW_RETENTION is 35 days/);
  });
});

describe('A post', () => {
  it('with a bad line is refused with its number, and stores nothing', async () => {
    const { run, post, stop } = await listen(JSON_COLUMNS);
    const bad = async (body: string) => (await post('/default', body)).detail;
    expect(await bad('{"t":1767225600,"db":70}\n{"t":1767225601,"db":"loud"}\n')).toMatch(
      /^line 2: the level "loud" is not a number/,
    );
    expect(await bad('{"t":1767225600,"db":70}\n{"t":176')).toMatch(/^line 2: is not a whole JSON object/);
    expect(await bad('[{"t":1767225600,"db":70}]')).toMatch(/^line 1: is a JSON array/);
    expect(await bad('')).toBe('line 1: there is no point');
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(await bad(`{"t":1767225600,"db":${deep}}`)).toMatch(/^line 1: its member "db" is a list/);
    expect(await post('/default', '{"t":1767225600,"db":70}', { 'idempotency-key': '' })).toMatchObject({
      status: 400,
      detail: 'Idempotency-Key must not be empty',
    });
    await stop();
    expect(run.db.rows).toEqual([]);
  });

  it('in the repeated autumn hour has the time that is nearer to its arrival', async () => {
    const run = createRun();
    const { post, stop } = await listen(['--columns', 'time,level', '--zone', 'Europe/Vienna'], run);
    const instants = [
      '2026-10-25T00:29:50',
      '2026-10-25T00:30:10',
      '2026-10-25T01:29:50',
      '2026-10-25T01:30:10',
    ];
    for (const instant of instants) {
      run.io.now = () => `${instant}.000000Z`;
      expect(await post('/default', '2026-10-25 02:30:00,-20')).toBe(204);
    }
    await stop();
    const times = run.db.rows.map((row) => row.split(',')[0]);
    expect(new Set(times)).toEqual(new Set(['2026-10-25T00:30:00.000000Z', '2026-10-25T01:30:00.000000Z']));
  });

  it('with --skip-bad stores the other lines', async () => {
    const { run, post, stop } = await listen(['--columns', 'level', '--skip-bad']);
    expect(await post('/default', '-20\nloud\n-21\n')).toBe(204);
    await stop();
    expect(run.db.rows.map((row) => row.split(',')[1])).toEqual(['-20', '-21']);
    expect(run.lines.join('\n')).toContain('skipped line 2 of a post to default: the level "loud"');
  });

  it('is refused if it is large, from a web page, to another path, or encoded in an unknown way', async () => {
    const { address, post } = await listen(['--columns', 'level']);
    const large = new Uint8Array(2 ** 20 + 1);
    const tooLarge = { status: 413, detail: 'A body has at most 1048576 bytes' };
    expect(await post('/default', large)).toMatchObject(tooLarge);
    expect(await post('/default', gzipSync(large), { 'content-encoding': 'gzip' })).toMatchObject(tooLarge);
    expect(await post('/default', '-1', { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 });
    expect(await post('/default', '-1', { 'content-encoding': 'br' })).toMatchObject({ status: 415 });
    expect(await post('/default', '-1', { origin: 'https://example.com' })).toMatchObject({ status: 403 });
    expect(await post('/', '-1')).toMatchObject({ status: 404 });
    expect(await post('/No-Name', '-1')).toMatchObject({ status: 404 });
    const unreadable = await post('/%', '-1');
    expect(unreadable).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400 });
    expect(unreadable.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const got = await fetch(`${address}/default`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(`${address}/default`, { method: 'OPTIONS' })).headers.get('allow')).toBe('POST');
  });

  it('needs a token that opens the station, if there is a file of tokens', async () => {
    const [all, garden] = [createKey('all'), createKey('esp', 'garden')];
    const tokens = file(`${all.line}\n${garden.line}\n`);
    const { post } = await listen(['--columns', 'level', '--tokens', tokens]);
    const status = async (authorization: string, station = 'default') => {
      const answer = await post(`/${station}`, '-1', { authorization });
      return answer.status ?? answer;
    };
    const refused = await post('/default', '-1');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await status(`Bearer ${all.key}x`)).toBe(401);
    for (const scheme of ['Bearer', 'Token', 'token']) expect(await status(`${scheme} ${all.key}`)).toBe(204);
    expect(await status(`Basic ${Buffer.from(`any:${all.key}`).toString('base64')}`)).toBe(204);
    expect(await status(`Bearer ${garden.key}`)).toBe(404);
    expect(await status(`Bearer ${garden.key}`, 'garden')).toBe(204);
  });

  it('is refused with 429 while its caller has 20 others under way', async () => {
    const { address, post } = await listen(['--columns', 'level']);
    const open = Array.from({ length: 20 }, () => {
      const under = request(`${address}/default`, { method: 'POST' }).on('error', () => {});
      under.write('-1');
      return under;
    });
    await expect.poll(() => post('/default', '-1')).toMatchObject({ status: 429 });
    expect((await post('/default', '-1')).headers.get('retry-after')).toBe('5');
    for (const each of open) each.destroy();
    await expect.poll(() => post('/default', '-1')).toBe(204);
  });

  it('is refused with 503 while the spool cannot be written', async () => {
    const { run, post, stop } = await listen(['--columns', 'level']);
    const { folder } = await run.io.openSpool();
    expect(await post('/default', '-1')).toBe(204);
    await expect.poll(() => run.db.rows).toHaveLength(1);
    rmSync(folder, { recursive: true, maxRetries: 10 }); // a stored segment may still leave it
    const refused = await post('/default', '-1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.detail).not.toContain(folder);
    await run.io.openSpool();
    expect(await post('/default', '-2')).toBe(204);
    const levels = () => run.db.rows.map((row) => row.split(',')[1]);
    await expect.poll(levels).toEqual(['-1', '-2']); // later, if the storing met the missing folder
    await stop();
  });

  it('goes to its station beside a running service, and never creates one', async () => {
    const DATA_DIR = dataFolder();
    await callStation(['add', 'garden'], { DATA_DIR });
    const { address: service } = await serve({ DATA_DIR });
    const listening = call(['import', '--listen', '127.0.0.1:0', '--columns', 'level'], { DATA_DIR });
    const { post } = postingTo(await addressIn(listening.output));
    expect(await post('/garden', '-20')).toBe(204);
    const other = await post('/street', '-21');
    expect([other.status, other.detail]).toEqual([404, expect.stringContaining('street')]);
    const latest = async () => (await fetch(`${service}/stations/garden/api/v1/audio/latest`)).json();
    await expect.poll(latest).toMatchObject({ points: [{ rms_db: -20 }] });
    expect(await listening.stop()).toBeUndefined();
  });
});

describeEmbeddedAndOnWire('A post to a station that was removed', (engine) => {
  const database = openForAll(() => engine.open());

  it('is refused until the station is added again', async () => {
    const { url } = database;
    const variables = { DATA_DIR: dataFolder(), ...(url !== undefined && { DATABASE_URL: url }) };
    await callStation(['add', 'garden'], variables);
    const service = await serve(variables);
    const importing = async (given = variables) =>
      postingTo(
        await addressIn(call(['import', '--listen', '127.0.0.1:0', '--columns', 'level'], given).output),
      );
    const { post } = await importing();
    const stored = async () => (await service.latest('garden')).map(({ rms_db }) => rms_db);
    const missing = { status: 404, detail: expect.stringMatching(/^There is no station garden:/) };
    expect(await post('/garden', '-20')).toBe(204);
    await expect.poll(stored).toEqual([-20]);
    // on another machine, only an attempt to store shows that the station is gone
    const far = url === undefined ? undefined : await importing({ ...variables, DATA_DIR: dataFolder() });
    if (far) {
      expect(await far.post('/garden', '-21')).toBe(204);
      await expect.poll(stored).toContain(-21);
    }
    await callStation(['remove', 'garden', '--yes'], variables);
    expect(await post('/garden', '-22')).toMatchObject(missing);
    expect(await (await importing()).post('/garden', '-23')).toMatchObject(missing);
    const waiting: number[] = [];
    const postFar = async () => {
      const answer = await far?.post('/garden', '-24');
      if (answer === 204) waiting.push(-24);
      return answer;
    };
    if (far) await expect.poll(postFar).toMatchObject(missing);
    await callStation(['add', 'garden'], variables);
    expect(await post('/garden', '-25')).toBe(204);
    if (far) await expect.poll(postFar).toBe(204);
    await expect.poll(async () => (await stored()).sort()).toEqual([...waiting, -25].sort());
  });
});

describe('Listening', () => {
  it.each([
    [['--listen', '0.0.0.0:3100'], '--tokens: required, because others can reach 0.0.0.0'],
    [['--listen', '3100'], 'a host and a port'],
    [['--listen', '127.0.0.1:0', 'a.csv'], 'not allowed with --listen'],
    [['--listen', '127.0.0.1:0', '--dry-run'], 'cannot be used with option'],
    [['--tokens', 'a', 'a.csv'], '--tokens: needs --listen'],
    [['a.csv', '--columns', 'level'], 'which is required unless'],
    [['--listen', '127.0.0.1:0', '--tokens', '/nowhere'], '--tokens is /nowhere, which cannot be read'],
    [[], "Missing required argument 'FILE'"],
  ])('with the arguments %j is refused', async (args, message) => {
    expect(await refusedImport(args)).toContain(message);
  });
});
