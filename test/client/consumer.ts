// A minimal frontend that makes a request of every kind. package.test.ts runs it in Node, bundle.test.ts in a browser.
import {
  type AudioMetricsClient,
  createClient,
  isServiceError,
  type Outputs,
} from '../../src/client/index.ts';

export interface Answers {
  latest: Outputs['audio']['latest'];
  range: Outputs['audio']['range'];
  csv: string;
  /** From the first event of the live stream. */
  stale: boolean;
  refused: unknown;
}

/** Returns the service's answers to one request of every kind, and to a request that it refuses. */
export async function consume(url: string): Promise<Answers> {
  const client: AudioMetricsClient = createClient(url);
  const interval = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const [latest, range] = await Promise.all([
    client.audio.latest.query({ limit: 2 }),
    client.audio.range.query({ ...interval, limit: 2 }),
  ]);
  let csv = '';
  for await (const text of await client.export.csv.query(interval)) csv += text;
  const stale = await new Promise<boolean>((resolve, reject) => {
    const following = client.audio.live.subscribe(
      {},
      {
        onData({ data }) {
          following.unsubscribe();
          resolve(data.stale);
        },
        onError: reject,
      },
    );
  });
  const refused = await client.audio.latest.query({ limit: 0 }).catch((error: unknown) => {
    if (!isServiceError(error)) throw error;
    return { code: error.data?.code, errors: error.data?.errors };
  });
  return { latest, range, csv, stale, refused };
}
