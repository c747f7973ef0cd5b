// Kills the process of the embedded database again and again.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPglite } from '../../src/database/pglite.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { soakNumber } from '../seeded.ts';
import { elsewhere, POINTS } from './embedded-elsewhere.ts';

const KILLS = soakNumber('KILLS', 2);

it(
  `The embedded database keeps every batch that it acknowledged, although killed ${KILLS} times while storing`,
  async () => {
    const dataDir = dataFolder();
    const batch = 50;
    let stored = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const { kill, lines } = await elsewhere(
        dataDir,
        `const { writeSync } = await import('node:fs');
       const db = await openPglite({ dataDir });
       const csv = '2026-01-01T00:00:00Z,-1,440,false\\n'.repeat(${batch});
       for (;;) { await db.transaction(({ copy }) => copy(csv)); writeSync(1, 'stored\\n'); }`,
      );
      await sleep(Math.random() * 300);
      await kill();
      const acknowledged = stored + lines() * batch;
      const db = await openPglite({ dataDir });
      const [points] = await db.query(POINTS);
      await db.close();
      stored = points?.n ?? 0;
      expect(lines()).toBeGreaterThan(0);
      // the last batch may be stored, always whole, but not yet acknowledged
      expect([acknowledged, acknowledged + batch]).toContain(stored);
    }
  },
  KILLS * 60_000,
);

it('The embedded database starts over if its first start was killed half way', async () => {
  const dataDir = temporaryFolder();
  const { kill } = await elsewhere(
    dataDir,
    `openPglite({ dataDir }).catch(() => {});
     const { existsSync } = await import('node:fs');
     const wait = setInterval(() => {
       if (existsSync(dataDir + '/pg')) { clearInterval(wait); console.log('begun'); }
     }, 1);`,
  );
  await kill();
  expect(existsSync(join(dataDir, 'initialising'))).toBe(true);
  const db = await openPglite({ dataDir });
  expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
  await db.close();
  expect(existsSync(join(dataDir, 'initialising'))).toBe(false);
  // only the owner may read a new folder, although PGlite creates its files for everyone
  const names = ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })];
  expect(names.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)).toEqual([]);
});
