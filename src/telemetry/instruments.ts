// What the metrics are made with.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Where metrics are kept, and what brings them up to date. */
export interface Room {
  readonly register: Registry;
  readonly readings: (() => void | Promise<void>)[];
}

export function gauge({ register }: Room, name: string, help: string, ...labelNames: string[]): Gauge {
  return new Gauge({ name: `audio_metrics_${name}`, help, labelNames, registers: [register] });
}

export function counter({ register }: Room, name: string, help: string, ...labelNames: string[]): Counter {
  return new Counter({ name: `audio_metrics_${name}`, help, labelNames, registers: [register] });
}

/** Undefined makes a metric absent. */
export function set(metric: Gauge, value: number | undefined): void {
  metric.remove();
  if (value !== undefined) metric.set(value);
}

/** From a probe to an export of months. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Of seconds. */
export function histogram(
  { register }: Room,
  name: string,
  help: string,
  ...labelNames: string[]
): Histogram {
  return new Histogram({
    name: `audio_metrics_${name}`,
    help,
    labelNames,
    buckets: SECONDS,
    registers: [register],
  });
}
