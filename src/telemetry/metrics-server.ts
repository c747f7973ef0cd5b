// Serves GET /metrics on a separate port, apart from the service's clients.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { listenFault } from '../http/assert-can-listen.ts';
import type { Metrics } from './metrics.ts';

/** @throws Error that names METRICS_PORT if the port is taken */
export async function serveMetrics(
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
  server.listen(port, host);
  await once(server, 'listening').catch((error) => {
    throw listenFault(error, host, port, 'METRICS_PORT');
  });
  server.unref(); // it ends with the process
  server.on('error', (err) => log.error({ err }, 'The listener for metrics failed'));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The listener for metrics has no port');
  const { port: taken, family, address: ip } = bound;
  const address = `http://${family === 'IPv6' ? `[${ip}]` : ip}:${taken}/metrics`;
  log.info(`Metrics are at ${address}`);
  return {
    /** For example `http://127.0.0.1:9464/metrics`. */
    address,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
