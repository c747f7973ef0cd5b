import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { readConfig, retiredVariables } from '../../src/cli/config.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { limitOf } from '../limits.ts';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 3000,
      LOG_LEVEL: 'info',
      NOTIFY: [],
      QUERY_TIMEOUT_MS: 5000,
      EXPORT_TIMEOUT_MS: 1_800_000,
      POOL_SIZE: 10,
      MAX_STREAMS: 1000,
      SHUTDOWN_DELAY_MS: 0,
      SHUTDOWN_TIMEOUT_MS: 10_000,
      former: {},
    });
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', CORS_ORIGINS: '' })).toEqual(readConfig({}));
  });

  it('warns once of each variable that it no longer reads, and accepts any value', () => {
    const given = { HEAVY_PLACES: 'x', MAX_WAITING: ' ', MIN_READ_RATE: '1', PORT: '80' };
    expect(readConfig(given)).toEqual(readConfig({ PORT: '80' }));
    const warnings = retiredVariables(given);
    expect(warnings.map((each) => each.split(' ')[0])).toEqual(['HEAVY_PLACES', 'MIN_READ_RATE']);
    expect(warnings[0]).toContain('start more processes');
    expect(retiredVariables({})).toEqual([]);
  });

  it('reads the former variables of the default station as its first settings, without wrong ones', () => {
    const given = {
      ASSESS: 'hour',
      UNCERTAINTY_DB: '21',
      MICROPHONE: ' UMIK-1 ',
      MICROPHONE_HEIGHT_M: '4.5',
    };
    expect(readConfig(given)).toEqual({
      ...readConfig({}),
      former: { assess: 'hour', measurement: { microphone: 'UMIK-1', height_m: 4.5 } },
    });
    const advice = (option: string) => expect.stringContaining(`npm run station -- set default ${option} `);
    expect(retiredVariables(given)).toEqual(
      ['--assess', '--uncertainty-db', '--height-m', '--microphone'].map(advice),
    );
    expect(retiredVariables({ PLACE_NAME: 'x', LIMITS: '0-24=50' })).toEqual([]);
  });

  it('refuses shared caches if there are keys', () => {
    expect(() => readConfig({ API_KEYS_FILE: 'keys', SHARED_CACHE_SECONDS: '1' })).toThrow(
      'SHARED_CACHE_SECONDS must not be set with API_KEYS_FILE',
    );
    expect(readConfig({ API_KEYS_FILE: 'keys' }).API_KEYS_FILE).toBe('keys');
  });

  it("reads receivers' URLs, and prints no token of a refused one", () => {
    expect(readConfig({ NOTIFY: ' https://me:secret@x/y\n ntfys://ntfy.sh/z ' }).NOTIFY).toEqual([
      'https://me:secret@x/y',
      'ntfys://ntfy.sh/z',
    ]);
    const read = () => readConfig({ NTFY_TOKEN: 'a secret' });
    expect(read).toThrow(/NTFY_TOKEN must be an ntfy token/);
    expect(read).not.toThrow('secret');
  });

  it('reads lists', () => {
    const text = {
      CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1',
    };
    const more = { ...text, ALLOWED_HOSTS: 'audio.example.com, audio-metrics' };
    expect(readConfig(more)).toMatchObject({
      CORS_ORIGINS: ['https://a.example', 'http://localhost:5173'],
      TRUST_PROXY: ['127.0.0.1', '10.0.0.0/8', '::1'],
      ALLOWED_HOSTS: ['audio.example.com', 'audio-metrics'],
    });
  });

  it("reads the place's name, its zone, and its limits by time of day", () => {
    const text = {
      PLACE_NAME: ' Elm Street 4 ',
      TIME_ZONE: 'Europe/Vienna',
      LIMITS: '22:30-06=45, 06-22:30=55.5',
    };
    expect(readConfig(text)).toMatchObject({
      PLACE_NAME: 'Elm Street 4',
      TIME_ZONE: 'Europe/Vienna',
      LIMITS: '22:30-06=45, 06-22:30=55.5',
    });
    expect(parseLimits(text.LIMITS)).toEqual([
      limitOf('06:00', '22:30', 55.5),
      limitOf('22:30', '06:00', 45),
    ]);
    expect(parseLimits('0-24=50')).toEqual([limitOf('00:00', '00:00', 50)]);
  });

  it.each(['120.5', '-3', '0', '94', '-200', '300', '120.123456', '-0.25'])(
    'reads %s dB as a calibration',
    (text) => {
      expect(readConfig({ CALIBRATION_OFFSET_DB: text }).CALIBRATION_OFFSET_DB).toBe(Number(text));
    },
  );

  it('accepts an interval, or off, as a retention', async () => {
    const good = '35 days,1 year 6 months,6mon,35d,840:00,40 days 12:30:15,P1Y2M,PT840H,1.5 years,P35D'.split(
      ',',
    );
    for (const RAW_RETENTION of [...good, 'off'])
      expect(readConfig({ RAW_RETENTION }).RAW_RETENTION).toBe(RAW_RETENTION);
    for (const COLUMNSTORE_AFTER of [...good, 'at once'])
      expect(readConfig({ COLUMNSTORE_AFTER }).COLUMNSTORE_AFTER).toBe(COLUMNSTORE_AFTER);
    const db = await openPglite({ template: inject('pgliteTemplate') });
    const query = { text: 'select $1::interval', parameters: ['text'] };
    for (const text of good) expect(await db.query(query, { text })).toHaveLength(1);
    await db.close();
  });

  const BAD_INTERVALS = ['forever', '35', '35 dayz', 'P', 'PT', 'days', 'Off', '-35 days x', "35 days'"];
  const BAD_LIMITS =
    '55|06-22|06-22=55,21-06=45|0-24=50,3-4=45|06-25=55|06:60-22=55|06-22=55;22-06=45|6-22=-5';
  it.each<[name: string, values: string[], ...facts: string[]]>([
    ['TRUST_PROXY', ['true', '1', 'proxy', '10.0.0.0/33', '10.0.0.0/8/8'], 'addresses of proxies'],
    ['TIME_ZONE', ['Vienna', '+01:00', 'Europe/Nowhere', 'utc/'], 'IANA time zone'],
    ['LIMITS', BAD_LIMITS.split('|'), 'by time of day', 'without overlaps'],
    [
      'CALIBRATION_OFFSET_DB',
      ['300.1', '-200.5', '1e2', '0x10', '+94', '94 dB', '94,5', '.5', '94.', 'NaN', '120.1234567'],
      ...['-200 to 300', '120.5'],
    ],
    ['COLUMNSTORE_AFTER', [...BAD_INTERVALS, 'off'], "'2 days'", 'at once'],
    ['AGGREGATE_RETENTION', BAD_INTERVALS, "'35 days'", 'off'],
    [
      'ALLOWED_HOSTS',
      ['*', 'a:3000', 'http://a', 'a,,b', 'a b', '.a', 'a..b', `${'a'.repeat(64)}.b`],
      ...['host names without ports', 'audio.example.com'],
    ],
    [
      'DATABASE_URL',
      ['12#x', '12/x', '/x', '12?x', 'x#', '%e4', 'a/b'].map(
        (text) => `postgres://audio:${text}@host/points`,
      ),
      'PGPASSWORD',
    ],
  ])('refuses %s with any of %j, and names what is allowed', (name, values, ...facts) => {
    for (const text of values)
      for (const fact of [name, ...facts]) expect(() => readConfig({ [name]: text }), text).toThrow(fact);
  });

  it('refuses the same port for the service and its metrics, and names both variables', () => {
    const message = 'METRICS_PORT must differ from PORT';
    const several = {
      METRICS_PORT: '3000',
      LOG_LEVEL: 'loud',
      API_KEYS_FILE: 'keys',
      SHARED_CACHE_SECONDS: '1',
    };
    for (const name of ['LOG_LEVEL must', message, 'SHARED_CACHE_SECONDS must not be set with'])
      expect(() => readConfig(several)).toThrow(name);
    expect(() => readConfig({ PORT: 'x', METRICS_PORT: '3000' })).not.toThrow(message);
    expect(() => readConfig({ METRICS_PORT: '3000' })).toThrow(message);
    expect(() => readConfig({ PORT: '80', METRICS_PORT: '80' })).toThrow(message);
    expect(readConfig({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ PORT: 0, METRICS_PORT: 0 });
  });

  it('names every bad variable and its allowed values, and never a secret', () => {
    const bad = {
      PORT: '3e3',
      POOL_SIZE: '0',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://me:secret@host',
      CORS_ORIGINS: 'https://a.example/',
    };
    const facts = ['postgres://', '0 to 65535', 'fatal, error, warn', 'https://example.com', '1 to 1000'];
    for (const fact of [...Object.keys(bad), ...facts]) expect(() => readConfig(bad)).toThrow(fact);
    expect(() => readConfig(bad)).not.toThrow('secret');
  });

  it('mistakes no part of a password for a host, a port or a database, and prints no password', () => {
    const urlWith = (text: string) => `postgres://audio:${text}@host.example:5432/points`;
    const character = fc.constantFrom(...Array.from('@/#:?%&[]\\\'"+=;$ 12af'));
    const password = fc.array(character, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    const refusalOf = (text: string) => {
      try {
        readConfig({ DATABASE_URL: urlWith(text) });
      } catch (error) {
        return String(error);
      }
    };
    const refusal = refusalOf('a/b');
    expect(refusal).toContain('PGPASSWORD');
    const read = { host: 'host.example', port: 5432, database: 'points', user: 'audio' };
    fc.assert(
      fc.property(password, (text) => {
        const message = refusalOf(text);
        if (message) expect(message).toBe(refusal);
        else expect(new pg.Client(urlWith(text))).toMatchObject(read);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['p@ss', 'p:ss', 'p%ss', '%40', "it's", 'a b'])('reads the password %s in a URL', (text) => {
    const DATABASE_URL = `postgres://audio:${text}@host/points`;
    expect(readConfig({ DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL);
  });
});
