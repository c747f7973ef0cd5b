// Measures the memory of one export of all points, and compares its bytes with psql's.
import { setTimeout as sleep } from 'node:timers/promises';
import { watchMemory } from '../child.ts';
import { openConnection } from '../connection.ts';
import { hashOfExport } from '../csv.ts';
import { digits, type Figure } from '../figure.ts';
import { copyPoints, hashOfPsql } from '../psql.ts';
import type { TestBed } from './test-bed.ts';

export async function exports({ start, database, all, points, say }: TestBed): Promise<Figure[]> {
  const work = `export of ${digits(points)} points`;
  say(work);
  await using service = await start();
  await sleep(1000);
  const idle = service.memory();
  const connection = openConnection(service.url);
  const { peak, result } = await watchMemory(service, 20, () => hashOfExport(connection, all));
  connection.close();
  const isEqual = result.hash === (await hashOfPsql(database, copyPoints(all, 'stdout')));
  return [
    { work: `${work}: memory above idle`, value: peak - idle, unit: 'MB', bar: { atMost: 64 } },
    { work: `${work}: differs from psql's`, value: isEqual ? 0 : 1, unit: '', bar: { atMost: 0 } },
  ];
}
