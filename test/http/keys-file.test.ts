// The keys file while the service runs: ways to change it, incomplete files, and the requests that a change ends.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, isServiceError } from '../../src/client/index.ts';
import { createKey } from '../../src/http/edge/api-keys.ts';
import { openKeys } from '../../src/http/edge/keys-file.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { NO_DATABASE, start, temporaryFolder } from '../process.ts';
import type { TestService } from '../service.ts';
import { open, send } from './raw.ts';

const [a, b] = [createKey('a'), createKey('b')];
/** Shorter than the interval at which a service reads the file. */
const EVERY_MS = 20;
const COMPLAINT = 'API_KEYS_FILE has changed, but cannot be used, so the previous keys stay: fix the file';

/** A watched file with the key of `a`. */
async function watchedFile(path: string) {
  const said: string[] = [];
  const note = (_: object, text?: string) => void said.push(`${text}`);
  const log = { info: note, warn: note } as Parameters<typeof openKeys>[1];
  const keys = await openKeys(path, log, EVERY_MS);
  const changed = () => new Promise<void>((resolve) => keys.onChange(resolve));
  const known = () => [a, b].map(({ key }) => keys.ownerOf(key)?.name ?? '-').join('');
  /** Waits for a line of the log that is newer than the last awaited line. */
  const logged = async (what: string) => {
    await vi.waitFor(() => expect(said).toContain(what), { timeout: 60_000, interval: 5 });
    said.length = 0;
  };
  return { changed, known, logged, close: keys.close };
}

/** Ways to replace the key `a` by the key `b`. Each runs in its own folder. */
const WAYS: Record<string, (folder: string, path: string) => () => void> = {
  'a rename, as editors do': (_, path) => () => {
    writeFileSync(`${path}.new`, `${b.line}\n`);
    renameSync(`${path}.new`, path);
  },
  'sed -i': (_, path) => () => void execFileSync('sed', ['-i', `s/.*/${b.line}/`, path]),
  'mv of a file with equal time and length': (_, path) => () => {
    writeFileSync(`${path}.new`, `${b.line}\n`);
    utimesSync(`${path}.new`, 0, 0);
    execFileSync('mv', [`${path}.new`, path]);
  },
  'a write in place': (_, path) => () => writeFileSync(path, `${b.line}\n`),
  'a write in place that keeps the time': (_, path) => () => {
    writeFileSync(path, `${b.line}\n`);
    utimesSync(path, 0, 0);
  },
  'another symbolic link': (folder, path) => {
    for (const [name, { line }] of [['1', a] as const, ['2', b] as const])
      writeFileSync(join(folder, name), `${line}\n`);
    unlinkSync(path);
    symlinkSync('1', path);
    return () => {
      symlinkSync('2', `${path}.new`);
      renameSync(`${path}.new`, path);
    };
  },
  'an update of a Kubernetes ConfigMap, through ..data': (folder, path) => {
    for (const [name, { line }] of [['..1', a] as const, ['..2', b] as const]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'keys'), `${line}\n`);
    }
    symlinkSync('..1', join(folder, '..data'));
    unlinkSync(path);
    symlinkSync(join('..data', 'keys'), path);
    return () => {
      symlinkSync('..2', join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      rmSync(join(folder, '..1'), { recursive: true });
    };
  },
};

describe.concurrent('A file of keys', () => {
  const root = mkdtempSync(join(tmpdir(), 'audio-metrics-keys-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const fileOf = (name: string) => {
    const folder = join(root, name.replaceAll(/\W/g, '-'));
    mkdirSync(folder);
    const path = join(folder, 'keys');
    writeFileSync(path, `${a.line}\n`);
    return { folder, path };
  };

  it.each(Object.entries(WAYS))('is read again after %s', async (name, prepare) => {
    const { folder, path } = fileOf(name);
    const change = prepare(folder, path);
    const file = await watchedFile(path);
    expect(file.known()).toBe('a-');
    const changed = file.changed();
    change();
    await changed;
    expect(file.known()).toBe('-b');
    file.close();
  });

  it('changes nothing while it is empty, cut, bad, a pipe or gone', async () => {
    const { path } = fileOf('half');
    const file = await watchedFile(path);
    const changed = file.changed();
    const [text, half] = [`${b.line}\n${a.line}\n`, b.line.length + 30];
    const written = openSync(path, 'w'); // empties it
    await file.logged(COMPLAINT);
    expect(file.known()).toBe('a-');
    writeSync(written, text.slice(0, half));
    await file.logged(COMPLAINT);
    expect(file.known()).toBe('a-');
    unlinkSync(path);
    await file.logged(COMPLAINT);
    execFileSync('mkfifo', [path]);
    await file.logged(COMPLAINT);
    unlinkSync(path);
    writeFileSync(path, 'nonsense\n');
    await file.logged(COMPLAINT);
    writeFileSync(path, `${a.line}\n`);
    await file.logged('API_KEYS_FILE can be used again, with the same keys as before');
    expect(file.known()).toBe('a-');
    closeSync(written);
    writeFileSync(path, text);
    await changed;
    expect(file.known()).toBe('ab');
    writeFileSync(path, '# nobody\n');
    await file.logged(
      'API_KEYS_FILE has no keys, so every caller is refused: create a key with `npm run key`',
    );
    expect(file.known()).toBe('--');
    file.close();
  });
});

describe('A removed key', () => {
  let service: TestService;
  let keys: Awaited<ReturnType<typeof openKeys>>;
  let path: string;
  const headers = { authorization: `Bearer ${a.key}` };
  const others = { authorization: `Bearer ${b.key}` };
  const silent = { info() {}, warn() {} };
  const DAY = 'from=2026-02-01T00:00:00Z&to=2026-02-02T00:00:00Z';
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-keys-'));
    path = join(folder, 'keys');
    writeFileSync(path, `${a.line}\n${b.line}\n`);
    keys = await openKeys(path, silent, EVERY_MS);
    service = await startSmallService({ keys });
    await service.sql(
      `insert into audio_data select '2026-02-01T00:00:00Z'::timestamptz + n * interval '0.4 s', -20
       from generate_series(0, 199999) n`,
    );
    return async () => {
      await service.close();
      keys.close();
      rmSync(folder, { recursive: true });
    };
  });

  it('ends only its own streams and exports, on both transports', async () => {
    const at = (path: string) => `${service.url}${path}`;
    const csv = encodeURIComponent(
      JSON.stringify({ 0: { from: '2026-02-01T00:00:00Z', to: '2026-02-02T00:00:00Z' } }),
    );
    const streams = ['/api/v1/audio/live', '/trpc/audio.live'];
    const [rest, rpc, kept] = await Promise.all([
      ...streams.map((path) => open(at(path), headers)),
      open(at('/api/v1/audio/live'), others),
    ]);
    const exports = await Promise.all([
      open(at(`/api/v1/export/csv?${DAY}`), headers),
      open(at(`/trpc/export.csv?batch=1&input=${csv}`), { ...headers, 'trpc-accept': 'application/jsonl' }),
    ]);
    const refused = new Promise<string>((resolve) => {
      createClient(service.url, { apiKey: a.key }).audio.live.subscribe(undefined, {
        onError: (error) => resolve(isServiceError(error) ? error.data.code : error.message),
      });
    });
    const all = [rest, rpc, ...exports].flatMap((stream) => stream ?? []);
    const ends = all.map(
      (stream) =>
        new Promise<string>((resolve) => {
          stream.on('end', () => resolve('ended')).on('error', () => resolve('broken'));
        }),
    );
    writeFileSync(path, `${b.line}\n`);
    for (const stream of all.slice(0, 2)) stream.resume();
    expect(await Promise.all(ends.slice(0, 2))).toEqual(['ended', 'broken']); // both clients reconnect, and are refused
    for (const stream of exports) stream.resume();
    expect(await Promise.all(ends.slice(2))).toEqual(['broken', 'broken']);
    expect(await refused).toBe('UNAUTHORIZED');
    expect(kept?.destroyed).toBe(false);
    kept?.destroy();
    expect((await send(at('/trpc/audio.latest'), headers)).status).toBe(401);
  });
});

// in its own process, because a blocked thread would keep this process from ending
it('A pipe in place of the file blocks neither callers nor the end of the service', async () => {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, `${a.line}\n`);
  const service = start(['serve'], { API_KEYS_FILE: path, DATABASE_URL: NO_DATABASE });
  const url = `${await service.address()}/api/v1/audio/latest`;
  unlinkSync(path);
  execFileSync('mkfifo', [path]);
  await expect.poll(service.output).toContain(COMPLAINT);
  expect((await send(url, { authorization: `Bearer ${a.key}` })).status).toBe(503);
  expect(await service.stop()).toBe(0);
});
