// Starts the metrics and the traces of the service, and serves the metrics. Loads each only if it is configured.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Watcher } from '../http/request-accounting.ts';
import type { Findings } from './background-checks.ts';
import type { Metrics } from './metrics.ts';

interface Options {
  readonly HOST: string;
  readonly METRICS_PORT?: number | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/** @returns watchers for the app, the database with traced statements, and a function that stops the telemetry */
export async function startTelemetry(
  { HOST: host, METRICS_PORT: port, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Options,
  { db, latest }: { db: Database; latest: () => Findings | undefined },
  log: Logger,
  version: string,
) {
  const watchers: Watcher[] = [];
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers) await closeOne();
  };
  if (port !== undefined) {
    const { createMetrics } = await import('./metrics.ts');
    const metrics = createMetrics(version, latest);
    closers.push(await serveMetrics(metrics, { host, port, log }));
    watchers.push(metrics.watch);
  }
  if (!endpoint) return { db, watchers, close };
  const { createTracing } = await import('./tracing.ts');
  const tracing = createTracing(version, log);
  watchers.push(tracing.watch);
  closers.push(tracing.close);
  return { db: tracing.traceDatabase(db), watchers, close };
}

/** Serves GET /metrics on a port apart from that of clients. @returns a function that ends the listener */
async function serveMetrics(
  { scrape, contentType }: Metrics,
  { host, port, log }: { host: string; port: number; log: Logger },
) {
  const server = createServer(async ({ method = '', url = '' }, response) => {
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
    if (url.split('?', 1)[0] !== '/metrics') return refuse(404, 'The metrics are at /metrics');
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return refuse(405, 'This path answers GET and HEAD');
    }
    try {
      const text = await scrape();
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
    } catch (err) {
      log.error({ err }, 'The metrics cannot be read');
      refuse(500, 'The metrics cannot be read; see the log');
    }
  });
  await once(server.listen(port, host), 'listening');
  server.unref(); // it ends with the process
  server.on('error', (err) => log.error({ err }, 'The listener for metrics failed'));
  const { port: taken, family, address: ip } = server.address() as AddressInfo;
  log.info(`Metrics are at http://${family === 'IPv6' ? `[${ip}]` : ip}:${taken}/metrics`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}
