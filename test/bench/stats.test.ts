// The statistics bench refuses unsuitable databases. `stats.soak.ts` runs the bench itself.
import { describe, expect, inject, it } from 'vitest';
import { stats } from '../../bench/stats.ts';
import { createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';

const plain = inject('postgres');

describe('npm run bench -- stats', () => {
  it('refuses a database without TimescaleDB', needs('PostgreSQL', plain), async () => {
    if (!plain) throw new Error('skipped');
    const { url, drop } = await createDatabase(plain);
    await expect(stats.run({ url }, () => {})).rejects.toThrow('TimescaleDB');
    await drop();
  });
});
