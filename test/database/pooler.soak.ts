// Many mixed requests behind a real PgBouncer.
import { it } from 'vitest';
import { soakNumber } from '../seeded.ts';
import { describeEachMode, mixRequests } from './pooled.ts';

/** The number of requests. CONTRIBUTING explains how to send more. */
const POOLER_REQUESTS = soakNumber('POOLER_REQUESTS', 1000);

describeEachMode((pooled) => {
  const requests = POOLER_REQUESTS / (pooled.mode === 'transaction' ? 1 : 4);
  it(`answers ${requests} mixed requests of several clients as without the pooler`, () =>
    mixRequests(pooled, requests));
});
