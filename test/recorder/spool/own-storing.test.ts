import { describe, expect, it } from 'vitest';
import { FolderInUse } from '../../../src/db/data-folder.ts';
import { startOwnStoring } from '../../../src/recorder/spool/own-storing.ts';
import { createRun } from '../run.ts';
import { openTestSpool, rows } from './segments.ts';

describe('A recorder that nobody serves', () => {
  it('stores what has waited for long itself, and leaves the database alone else', async () => {
    const spool = await openTestSpool();
    const run = createRun();
    const storing = startOwnStoring(spool, run.io, { after: 500, every: 20 });
    await spool.write(rows(0, 2));
    await expect.poll(async () => [run.db.closed, await spool.waiting()]).toEqual([true, []]);
    expect(run.db.rows).toHaveLength(2);
    await storing.stop();
    await spool.write(rows(2, 1));
    expect(run.db.rows).toHaveLength(2);
  });

  it('waits while another has the folder, without a word, and says what else fails, once', async () => {
    const spool = await openTestSpool();
    await spool.write(rows(0, 2));
    const run = createRun();
    const faults: Error[] = [new FolderInUse('in use'), new Error('broken'), new Error('broken')];
    const openDatabase = async () => {
      const fault = faults.shift();
      if (fault) throw fault;
      return run.db;
    };
    const storing = startOwnStoring(spool, { ...run.io, openDatabase }, { after: 0, every: 20 });
    await expect.poll(() => run.db.rows.length).toBe(2);
    await storing.stop();
    expect(run.lines).toEqual([`Warning: broken. Points wait in ${spool.folder}.`]);
  });
});
