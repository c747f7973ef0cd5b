import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { explain } from '../../src/database/faults.ts';
import { reportOutages } from '../../src/database/report-outages.ts';

it('An outage is reported once, although a check that began earlier ends late', async () => {
  const checks: PromiseWithResolvers<void>[] = [];
  const said: string[] = [];
  const say = (_: object, text: string) => void said.push(text);
  const ready = () => {
    const check = Promise.withResolvers<void>();
    checks.push(check);
    return check.promise;
  };
  const db = reportOutages({ ready } as Database, { info: say, warn: say }, 'away');
  const begin = () => db.ready().catch(() => {});
  const end = async (index: number, isUp: boolean) => {
    const check = checks[index];
    if (isUp) check?.resolve();
    else check?.reject(explain(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
    await running[index];
  };
  const running = [begin(), begin()];
  await end(0, false);
  running.push(begin(), begin());
  await end(1, true); // it was answered before the outage
  expect(said).toEqual(['away']);
  await end(2, true);
  await end(3, false); // it could not connect before the end
  expect(said).toEqual(['away', 'The database answers again']);
  running.push(begin());
  await end(4, false);
  expect(said).toEqual(['away', 'The database answers again', 'away']);
});
