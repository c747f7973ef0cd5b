// Starts what watches the service: its metrics and its traces, each loaded only where it is configured.
import type { Logger } from 'pino';
import type { Watcher } from '../http/calls.ts';

export interface Watching {
  readonly watchers: readonly Watcher[];
  close(): Promise<void>;
}

interface Options {
  readonly HOST: string;
  readonly METRICS_PORT?: number | undefined;
}

/** @throws Error that names METRICS_PORT where it is taken */
export async function startWatching(
  { HOST: host, METRICS_PORT: port }: Options,
  log: Logger,
  version: string,
): Promise<Watching> {
  if (port === undefined) return { watchers: [], close: async () => {} };
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./metrics.ts'),
    import('./metrics-server.ts'),
  ]);
  const metrics = createMetrics(version);
  const server = await serveMetrics(metrics, { host, port, log });
  return { watchers: [metrics.watch], close: server.close };
}
