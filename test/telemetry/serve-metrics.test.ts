import { describe, expect, it } from 'vitest';
import { NO_DATABASE, start } from '../process.ts';

describe('The service with METRICS_PORT', () => {
  it('answers /metrics, and nothing else, only on that port', async () => {
    const service = start(['serve'], { DATABASE_URL: NO_DATABASE, METRICS_PORT: '0' });
    const address = await service.address();
    await fetch(`${address}/api/v1/health/live`);
    const at = /Metrics are at (http:\/\/[\d.:]+)\/metrics/.exec(service.output())?.[1];
    const metrics = await fetch(`${at}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await metrics.text();
    expect(text).toContain('operation="health.live",transport="rest",status="200",station="default"} 1');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect((await fetch(`${at}/api/v1/health/live`)).status).toBe(404);
    expect((await fetch(`${at}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${address}/metrics`)).status).toBe(404);
    expect(await service.stop()).toBe(0);
  });
});
