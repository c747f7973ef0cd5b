import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      DATA_DIR: './data',
      HOST: '127.0.0.1',
      PORT: 3000,
      LOG_LEVEL: 'info',
      QUERY_TIMEOUT_MS: 5000,
      EXPORT_TIMEOUT_MS: 3_600_000,
      POOL_SIZE: 10,
      POOL_WAIT_MS: 1000,
      SHUTDOWN_TIMEOUT_MS: 10_000,
      SETTLED_AFTER: 600,
    });
  });

  it('takes a variable that is set to nothing as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', CORS_ORIGINS: '' })).toEqual(readConfig({}));
  });

  it('reads lists of origins', () => {
    const { CORS_ORIGINS } = readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' });
    expect(CORS_ORIGINS).toEqual(['https://a.example', 'http://localhost:5173']);
  });

  it('reads the addresses of proxies', () => {
    expect(readConfig({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1' }).TRUST_PROXY).toEqual([
      '127.0.0.1',
      '10.0.0.0/8',
      '::1',
    ]);
    for (const bad of ['true', '1', 'proxy', '10.0.0.0/33', '10.0.0.0/8/8'])
      expect(() => readConfig({ TRUST_PROXY: bad })).toThrow('TRUST_PROXY must be the addresses of proxies');
  });

  it('reads lengths of time', () => {
    expect(readConfig({ SETTLED_AFTER: '2h' }).SETTLED_AFTER).toBe(7200);
    for (const bad of ['10', '10 m', '-1m', '1w'])
      expect(() => readConfig({ SETTLED_AFTER: bad })).toThrow('SETTLED_AFTER must be a length of time');
  });

  it('names every bad variable and what is allowed, and never their secrets', () => {
    const bad = {
      PORT: '3e3',
      POOL_SIZE: '0',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://me:secret@host',
      CORS_ORIGINS: 'https://a.example/',
    };
    expect(() => readConfig(bad)).toThrow(
      [
        'The configuration is not valid:',
        '  DATABASE_URL must be a URL such as postgres://user:password@host:5432/database',
        '  PORT must be a whole number from 0 to 65535',
        '  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
        '  CORS_ORIGINS must be * or origins such as https://example.com, separated by commas',
        '  POOL_SIZE must be a whole number from 1 to 1000',
      ].join('\n'),
    );
  });
});
