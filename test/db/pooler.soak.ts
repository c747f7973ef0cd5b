// Many mixed requests behind a real PgBouncer.
import { it } from 'vitest';
import { describeEachMode, mixRequests } from './pooled.ts';

/** How many requests are mixed; CONTRIBUTING says how to ask more. */
const { POOLER_REQUESTS = '1000' } = process.env;

describeEachMode((pooled) => {
  const requests = Number(POOLER_REQUESTS) / (pooled.mode === 'transaction' ? 1 : 4);
  it(`answers ${requests} mixed requests of several clients as without it`, () =>
    mixRequests(pooled, requests));
});
