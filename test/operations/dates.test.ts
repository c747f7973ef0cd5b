// Dates: in `from` and `to` of every operation that takes both.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../src/operations/internals/routes.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { insertPoints, startTestService } from '../service.ts';

const OPERATIONS = [...routes.values()].filter(({ input }) => {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  return 'from' in properties && 'to' in properties;
});

describeOnWire('A date in from or to', (engine) => {
  const service = openForAll(async () => {
    const opened = await startTestService(engine);
    const times = Array.from({ length: 5 }, (_, at) => `2026-02-${10 + at}T12:00:00Z`);
    await opened.sql(insertPoints(times.map((time, at) => [time, -5 - at, 440])));
    return opened;
  });
  const text = async (path: string) => {
    const answer = await fetch(`${service.url}/api/v1${path}`);
    return [answer.status, await answer.text()];
  };

  it.each(OPERATIONS.map(({ name, path }) => [name, path]))(
    'is the start of the day in a zone: %s',
    async (_, path) => {
      const others = `time_zone=Etc/GMT%2B5${path === '/stats/limits' ? '&limits=06-22=55' : ''}`;
      const instants = 'from=2026-02-11T05:00:00Z&to=2026-02-14T05:00:00Z';
      const expected = await text(`${path}?${instants}&${others}`);
      expect(expected[0]).toBe(200);
      expect(await text(`${path}?from=2026-02-11&to=2026-02-14&${others}`)).toEqual(expected);
      const unescaped = others.replace('%2B', '+');
      expect(await text(`${path}?from=2026-02-11&to=2026-02-14&${unescaped}`)).toEqual(expected);
    },
  );

  it('keeps its meaning on the next page, also if the zone is then named differently', async () => {
    const dates = 'from=2026-02-11&to=2026-02-14&limit=1';
    const { next_cursor } = (await service.get(`/audio/range?${dates}&time_zone=UTC`)).body;
    const page = (zone: string) =>
      service.get(`/audio/range?${dates}&time_zone=${zone}&cursor=${next_cursor}`);
    expect((await page('Etc/UTC')).body.points).toMatchObject([{ time: '2026-02-12T12:00:00.000000Z' }]);
    expect((await page('Europe/Vienna')).status).toBe(400);
  });

  it('may end the window of a period', async () => {
    const { from, to } = (await service.get('/stats/summary?period=24h&to=2026-02-14&time_zone=UTC')).body;
    expect([from, to]).toEqual(['2026-02-13T00:00:00.000000Z', '2026-02-14T00:00:00.000000Z']);
  });
});
