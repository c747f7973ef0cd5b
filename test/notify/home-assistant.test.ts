import { describe, expect, it } from 'vitest';
import { deviceConfig, stationOfConfig } from '../../src/notify/home-assistant.ts';
import { stationShown } from './stations-shown.ts';

describe('a device config', () => {
  const config = (...station: Parameters<typeof stationShown>) =>
    JSON.parse(deviceConfig('audio-metrics', stationShown(...station), '1.2.3'));

  it.each([
    ['dB(A)', 'dBA', 'sound_pressure'],
    ['dB', 'dB', 'sound_pressure'],
    ['dB(C)', 'dB(C)', undefined],
    ['dBFS', 'dBFS', undefined],
  ] as const)('gives levels in %s the unit %s', (unit, unit_of_measurement, device_class) => {
    const { components } = config('garden', { unit });
    for (const key of ['level_db', 'leq_1h_db', 'night_leq_db']) {
      expect(components[key]).toMatchObject({ unit_of_measurement, state_class: 'measurement' });
      expect(components[key].device_class).toBe(device_class);
    }
  });

  it('describes the station, its topics and each sensor', () => {
    const { components, ...device } = config('garden', { place_name: 'Elm Street 4' });
    expect(device).toEqual({
      device: {
        identifiers: ['audio-metrics_garden'],
        name: 'Elm Street 4',
        manufacturer: 'Audio Metrics',
        model: 'Station',
        sw_version: '1.2.3',
        configuration_url: 'https://example.com/stations/garden/',
      },
      origin: { name: 'Audio Metrics', sw_version: '1.2.3' },
      availability: [{ topic: 'audio-metrics/status' }],
      state_topic: 'audio-metrics/garden/state',
    });
    expect(Object.keys(components)).toEqual([
      'level_db',
      'leq_1h_db',
      'band_hz',
      'night_leq_db',
      'night_state',
      'noise_event',
      'recorder_problem',
    ]);
    expect(components).toMatchObject({
      level_db: {
        platform: 'sensor',
        name: 'Level',
        unique_id: 'audio-metrics_garden_level_db',
        default_entity_id: 'sensor.audio_metrics_garden_level_db',
        value_template: '{{ value_json.level_db }}',
        suggested_display_precision: 1,
      },
      band_hz: { unit_of_measurement: 'Hz', device_class: 'frequency', state_class: 'measurement' },
      night_state: { device_class: 'enum', options: ['over', 'under', 'undecided'] },
      noise_event: {
        platform: 'binary_sensor',
        device_class: 'sound',
        default_entity_id: 'binary_sensor.audio_metrics_garden_noise_event',
        value_template: "{{ 'ON' if value_json.noise_event else 'OFF' }}",
      },
      recorder_problem: { platform: 'binary_sensor', device_class: 'problem' },
    });
    expect(components.night_state).not.toHaveProperty('state_class');
  });

  it('links only to web pages', () => {
    expect(config('garden', { link: 'file:///srv/data' }).device).not.toHaveProperty('configuration_url');
  });
});

it("distinguishes one prefix's configs from those of other prefixes and products", () => {
  const topic = 'homeassistant/device/a_b_c/config';
  const payload = deviceConfig('a_b', stationShown('c'), undefined);
  expect(stationOfConfig('a_b', topic, payload)).toBe('c');
  expect(stationOfConfig('a', topic, payload)).toBeUndefined();
  const foreign = payload.replaceAll('Audio Metrics', 'Other');
  for (const other of [foreign, '', 'null', '[]', '{"origin":{}'])
    expect(stationOfConfig('a_b', topic, other)).toBeUndefined();
});
