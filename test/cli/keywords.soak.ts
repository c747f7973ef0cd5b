// Stations named by the words of SQL, through every command.
import { expect, inject, it } from 'vitest';
import { isStationName } from '../../src/contract/station.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { callStation, serve } from '../in-process.ts';
import { dataFolder } from '../process.ts';

it('adds, lists, shows, changes and removes a station for every word of SQL', async () => {
  const memory = await openPglite({ template: inject('pgliteTemplate') });
  const found = await memory.run<{ word: string }>('select word from pg_get_keywords() order by word');
  await memory.close();
  const variables = { DATA_DIR: dataFolder() };
  const station = (...args: string[]) => callStation(args, variables);
  await serve(variables); // holds the folder
  const names = found.map(({ word }) => word).filter(isStationName);
  expect(names.length).toBeGreaterThan(400);
  for (const name of names) {
    expect(await station('add', name, '--place-name', `At ${name}`)).toContain(`/stations/${name}/.`);
    expect(await station('list')).toBe(`default\t/\n${name}\t/stations/${name}/\tAt ${name}\n`);
    await station('set', name, '--place-name', 'none');
    expect(await station('show', name)).toContain('place_name: none\n');
    expect(await station('remove', name, '--yes')).toContain(`Removed the station ${name} with 0 points`);
  }
}, 1_200_000);
