// A context for procedures that are called in the process.
import pLimit from 'p-limit';
import { expect } from 'vitest';
import { CSV_TYPE } from '../../src/contract/media-types.ts';
import { createAdmission } from '../../src/load/admission.ts';
import { SharedAnswers } from '../../src/load/shared-answers.ts';
import type { Context } from '../../src/operations/context.ts';
import { NO_SETTINGS, siteOf } from '../../src/operations/stations/station.ts';
import { failing } from '../http/service-on.ts';
import { noRollups } from '../no-rollups.ts';
import { NOW } from '../service.ts';

export const contextWith = (given: Partial<Context>): Context => ({
  station: 'default',
  stations: { opened: undefined, names: async () => ['default'] },
  overview: { list: async () => [], open: async () => expect.unreachable() },
  db: failing(),
  rollups: noRollups(),
  admission: createAdmission({}),
  answers: new SharedAnswers(),
  now: NOW,
  clock: () => NOW,
  signal: new AbortController().signal,
  version: 'test',
  site: siteOf({ ...NO_SETTINGS, time_zone: 'UTC', weighting: 'A' }),
  recorder: () => null,
  server: () => undefined,
  live: { open: async () => expect.unreachable(), canResume: () => false },
  isStopping: false,
  transport: 'rpc',
  fileType: CSV_TYPE,
  caller: 'test',
  calls: undefined,
  pages: undefined,
  admit: () => {},
  inSlot: pLimit(4),
  ...given,
});
