import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../cluster.ts';
import { engineOfWire } from '../engines.ts';
import { dataFolder, NO_DATABASE, start } from '../process.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;

/** Prints the address of each OpenTelemetry and prom-client module that the process loads. */
const PRINT_LOADED = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    const found = next(name, context);
    const [, loaded] = /node_modules\\/(@opentelemetry\\/[^/]+|prom-client)\\//.exec(found.url) ?? [];
    if (loaded) console.log('LOADED ' + loaded);
    return found;
  } });`)}`;

interface Span {
  name: string;
  traceId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

/** A collector that accepts OTLP as JSON. */
async function startCollector() {
  const spans: Span[] = [];
  const services: unknown[] = [];
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: OTLP as received
    const body = (await json(request)) as any;
    for (const { resource, scopeSpans } of body.resourceSpans) {
      services.push(
        // biome-ignore lint/suspicious/noExplicitAny: OTLP as received
        resource.attributes.find(({ key }: any) => key === 'service.name')?.value.stringValue,
      );
      // biome-ignore lint/suspicious/noExplicitAny: OTLP as received
      spans.push(...scopeSpans.flatMap((each: any) => each.spans));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${await listen(server)}`, spans, services };
}

function attribute({ attributes }: Span, key: string): unknown {
  const value = attributes.find((each) => each.key === key)?.value;
  return value && Object.values(value)[0];
}

describe('The service with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it("sends one span per request, in its caller's trace, with the names of its statements", async () => {
    const collector = await startCollector();
    const database = await engineOfWire().open();
    onTestFinished(() => database.close());
    const service = start(['serve'], {
      ...(database.url ? { DATABASE_URL: database.url } : { DATA_DIR: dataFolder() }),
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      NODE_OPTIONS: PRINT_LOADED,
    });
    const address = await service.address();
    await fetch(`${address}/api/v1/audio/latest?limit=1`, { headers: { traceparent } });
    await fetch(`${address}/trpc/stats.summary,no.such?batch=1&input={}`);
    await fetch(`${address}/secret?key=secret`);
    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('LOADED @opentelemetry/sdk-trace');

    const [latest, batch, unknown, ...others] = collector.spans;
    if (!latest || !batch || !unknown) throw new Error(`Spans are missing: ${service.output()}`);
    expect(others).toEqual([]);
    expect(collector.services[0]).toBe('audio-metrics');
    expect([latest.name, latest.traceId, latest.parentSpanId]).toEqual([
      'GET /api/v1/audio/latest',
      TRACE,
      PARENT,
    ]);
    expect(attribute(latest, 'http.route')).toBe('/api/v1/audio/latest');
    expect(attribute(latest, 'url.path')).toBe('/api/v1/audio/latest');
    expect(Number(attribute(latest, 'http.response.status_code'))).toBe(200);
    expect(attribute(latest, 'db.query.summary')).toBe('station_settings, latest_points');
    expect(batch.name).toBe('GET /trpc/batch');
    expect(attribute(batch, 'db.query.summary')).toContain('statistics');
    expect(JSON.stringify(attribute(batch, 'audio_metrics.operations'))).toContain('stats.summary');
    expect(unknown.name).toBe('GET');
    expect(JSON.stringify(collector.spans)).not.toContain('key=secret');

    const line = service
      .output()
      .split('\n')
      .find((each) => each.includes('/audio/latest') && each.includes('request completed'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      trace_id: TRACE,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  it('works without its collector, and logs its absence once', async () => {
    const service = start(['serve'], {
      DATABASE_URL: NO_DATABASE,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    });
    const address = await service.address();
    expect((await fetch(`${address}/api/v1/health/live`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.output().match(/Cannot send traces/g)).toHaveLength(1);
  });
});

describe('The service without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it("loads no telemetry, but still logs its callers' trace ids", async () => {
    const service = start(['serve'], { DATABASE_URL: NO_DATABASE, NODE_OPTIONS: PRINT_LOADED });
    const address = await service.address();
    await fetch(`${address}/api/v1/audio/latest?limit=0`, { headers: { traceparent } });
    await fetch(`${address}/api/v1/audio/latest?limit=0`, {
      headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` },
    });
    await expect.poll(() => service.output().match(/request completed/g)).toHaveLength(2);
    expect(service.output()).not.toContain('LOADED');
    expect(service.output().match(/"trace_id":"\w+"/g)).toEqual([`"trace_id":"${TRACE}"`]);
  });
});
