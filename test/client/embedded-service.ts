// A service on the embedded database, for tests that are not about databases.
import type { AppOptions } from '../../src/http/app.ts';
import { engines } from '../engines.ts';
import { insertPoints, startTestService, type TestService } from '../service.ts';

/** Holds three points of the first day of 2026: a loud one, a silent one without values, a louder one. */
export async function startEmbeddedService(options: Partial<AppOptions> = {}): Promise<TestService> {
  const embedded = engines.find(({ name }) => name === 'PGlite');
  if (!embedded) throw new Error('The embedded engine is missing from the list');
  const service = await startTestService(embedded, options);
  await service.sql(
    insertPoints([
      ['2026-01-01T00:00:00.000001Z', -9.34, 440],
      ['2026-01-01T00:00:01Z', null, null, true],
      ['2026-01-01T00:00:02Z', -1.5, 1000],
    ]),
  );
  return service;
}
