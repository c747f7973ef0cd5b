// The lines of docs/how-to/postgresql.md give the owner and the reader all rights that they need.
import { readFileSync } from 'node:fs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { startCluster, withClient } from '../cluster.ts';
import { asRole } from '../database/arrangements.ts';
import { needs } from '../needs.ts';

const page = readFileSync(new URL('../../docs/how-to/postgresql.md', import.meta.url), 'utf8');
const lines = /```sh\n(sudo apt-get install[^`]*)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
const bin = inject('postgresBin');

describe('The ten lines of the quick start', () => {
  it('are ten', () => {
    expect(lines).toHaveLength(10);
  });

  it(
    'leave `migrate` nothing to warn about, and let the reader connect',
    needs('PostgreSQL', bin),
    async () => {
      const cluster = await startCluster(bin ?? '');
      onTestFinished(() => cluster.stop());
      const points = Object.assign(new URL(cluster.url), { pathname: 'audio' }).href;
      for (const line of lines.filter((each) => each.startsWith('sudo -u postgres'))) {
        const statements = Array.from(line.matchAll(/-c "([^"]+)"/g), ([, sql = '']) =>
          sql.replace(/\$(\w+)/g, '$1'),
        );
        const url = line.includes('psql audio') ? points : cluster.url;
        if (line.includes('createdb')) statements.push('create database audio owner audio_owner');
        for (const sql of statements) await withClient(url, (client) => client.query(sql));
      }
      const warnings: string[] = [];
      const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
      await migrate({ url: asRole(points, 'audio_owner'), readerRole: 'audio_reader', log });
      expect(warnings).toEqual([]);
      const reader = openPostgres({
        url: asRole(points, 'audio_reader'),
        queryTimeoutMs: 5000,
        exportTimeoutMs: 5000,
      });
      await reader.ready();
      await reader.close();
    },
  );
});
