// A service with three points, for tests that do not depend on the database.
import { engineOfWire } from '../engines.ts';
import { insertPoints, startTestService, type TestOptions, type TestService } from '../service.ts';

/** Serves three points of January 1, 2026: one loud, one silent without values, one louder. */
export async function startSmallService(options: TestOptions = {}, engine = engineOfWire()) {
  const service = await startTestService(engine, options);
  await service.sql(
    insertPoints([
      ['2026-01-01T00:00:00.000001Z', -9.34, 440],
      ['2026-01-01T00:00:01Z', null, null, true],
      ['2026-01-01T00:00:02Z', -1.5, 1000],
    ]),
  );
  return service;
}

/** The REST answers to the requests of consumer.ts. */
export async function answersByRest({ get }: TestService) {
  const body = async (path: string) => (await get(path)).body;
  const interval = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
  const { code, errors } = await body('/audio/latest?limit=0');
  return {
    latest: await body('/audio/latest?limit=2'),
    range: await body(`/audio/range?${interval}&limit=2`),
    csv: await body(`/export/csv?${interval}`),
    stale: false,
    refused: { code, errors },
  };
}
