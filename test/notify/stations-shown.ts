// States of stations, for tests of receivers.
import type { StationShown } from '../../src/notify/receiver.ts';

export const stationShown = (name: string, more: Partial<StationShown> = {}): StationShown => ({
  name,
  place_name: null,
  link: `https://example.com/stations/${name}/`,
  state: 'recording',
  time: '2026-01-02T12:00:00.000000Z',
  unit: 'dB(A)',
  level_db: 52.3,
  leq_1h_db: 50.1,
  band_hz: 1000,
  night_leq_db: null,
  night_state: null,
  noise_event: false,
  recorder_problem: false,
  ...more,
});
