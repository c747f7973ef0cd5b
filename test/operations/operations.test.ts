import { expect, it } from 'vitest';
import { z } from 'zod';
import { LatestOutput } from '../../src/operations/audio/latest/contract.ts';
import { routes } from '../../src/operations/internals/routes.ts';

it('every operation has the path and the group that its name says', () => {
  for (const [name, { path, group }] of routes)
    expect(`${path.slice(1).replace('/', '.')} ${group}`).toBe(
      `${name} ${name.split('.')[0]}`.replace('stations.list', 'stations'),
    );
});

it('the private definitions of tRPC procedures hold all that REST and the OpenAPI document read', () => {
  const latest = routes.get('audio.latest');
  expect([latest?.output, latest?.input.parse({}), latest?.isStream]).toEqual([
    LatestOutput,
    { limit: 100, levels: 'stored', ahead: 'omit' },
    false,
  ]);
  expect(routes.get('audio.live')?.isStream).toBe(true);
  for (const { input, summary, description } of routes.values())
    expect([input, summary, description]).toEqual([
      expect.any(z.ZodType),
      expect.stringMatching(/./),
      expect.stringMatching(/./),
    ]);
});
