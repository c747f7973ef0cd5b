// Creates the gauges, counters and histograms of the service, under its prefix.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Instruments = ReturnType<typeof createInstruments>;

/** The bounds of a histogram, from a probe's duration to that of a months-long export. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createInstruments() {
  const register = new Registry();
  /** Each reading updates some of the metrics before a scrape. */
  const readings: (() => void | Promise<void>)[] = [];
  const named = (name: string, help: string, labelNames: string[]) => ({
    name: `audio_metrics_${name}`,
    help,
    labelNames,
    registers: [register],
  });
  return {
    register,
    readings,
    gauge: (name: string, help: string, ...labels: string[]) => new Gauge(named(name, help, labels)),
    counter: (name: string, help: string, ...labels: string[]) => new Counter(named(name, help, labels)),
    /** A histogram of seconds. */
    histogram: (name: string, help: string, ...labels: string[]) =>
      new Histogram({ ...named(name, help, labels), buckets: BUCKETS_SECONDS }),
  };
}

/** Sets a gauge, or removes it if the value is undefined. */
export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  gauge.remove();
  if (value !== undefined) gauge.set(value);
}
