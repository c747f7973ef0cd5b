// Discovery by Home Assistant: the topics of a station, and the config that makes it a device with sensors.
// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
import { z } from 'zod';
import type { Unit } from '../contract/periods.ts';
import type { StationShown } from './receiver.ts';

const NAME = 'Audio Metrics';

/** Matches the config topics of all devices, including those of other products. */
export const ALL_CONFIGS = 'homeassistant/device/+/config';
export const configTopic = (prefix: string, station: string) =>
  `homeassistant/device/${prefix}_${station}/config`;
export const stateTopic = (prefix: string, station: string) => `${prefix}/${station}/state`;
export const statusTopic = (prefix: string) => `${prefix}/status`;

/** Home Assistant's class `sound_pressure` accepts only dB and dBA. */
const UNITS: Record<Unit, { unit_of_measurement: string; device_class?: 'sound_pressure' }> = {
  'dB(A)': { unit_of_measurement: 'dBA', device_class: 'sound_pressure' },
  dB: { unit_of_measurement: 'dB', device_class: 'sound_pressure' },
  'dB(C)': { unit_of_measurement: 'dB(C)' },
  dBFS: { unit_of_measurement: 'dBFS' },
};

export function deviceConfig(prefix: string, station: StationShown, version: string | undefined): string {
  const { name, place_name, link, unit } = station;
  const id = `${prefix}_${name}`;
  const entityId = id.toLowerCase().replaceAll('-', '_');
  const sw_version = version;
  const entity = (platform: string, key: keyof StationShown, label: string, value: string, more: object) => ({
    [key]: {
      platform,
      name: label,
      unique_id: `${id}_${key}`,
      default_entity_id: `${platform}.${entityId}_${key}`,
      value_template: `{{ ${value} }}`,
      ...more,
    },
  });
  // null becomes None in a template, which Home Assistant shows as unknown
  const sensor = (key: keyof StationShown, label: string, more: object) =>
    entity('sensor', key, label, `value_json.${key}`, more);
  const binary = (key: keyof StationShown, label: string, more: object) =>
    entity('binary_sensor', key, label, `'ON' if value_json.${key} else 'OFF'`, more);
  const level = { ...UNITS[unit], state_class: 'measurement', suggested_display_precision: 1 };
  const band = { unit_of_measurement: 'Hz', device_class: 'frequency', state_class: 'measurement' };
  return JSON.stringify({
    device: {
      identifiers: [id],
      name: place_name ?? name,
      manufacturer: NAME,
      model: 'Station',
      sw_version,
      ...(/^https?:/.test(link) && { configuration_url: link }),
    },
    origin: { name: NAME, sw_version },
    availability: [{ topic: statusTopic(prefix) }],
    state_topic: stateTopic(prefix, name),
    components: {
      ...sensor('level_db', 'Level', level),
      ...sensor('leq_1h_db', 'Leq of the last hour', level),
      ...sensor('band_hz', 'Dominant band', band),
      ...sensor('night_leq_db', 'Leq of the last night', level),
      ...sensor('night_state', 'Last night', {
        device_class: 'enum',
        options: ['over', 'under', 'undecided'],
      }),
      ...binary('noise_event', 'Noise event', { device_class: 'sound' }),
      ...binary('recorder_problem', 'Recorder problem', { device_class: 'problem' }),
    },
  });
}

const OwnConfig = z.object({ origin: z.object({ name: z.literal(NAME) }), state_topic: z.string() });

/**
 * @returns the station of a config; undefined unless it was published with this prefix. `a_b_c` may be station `c` of
 *   prefix `a_b` or station `b_c` of prefix `a`: only the state topic in the config shows which
 */
export function stationOfConfig(prefix: string, topic: string, payload: string): string | undefined {
  const start = `homeassistant/device/${prefix}_`;
  if (!topic.startsWith(start)) return undefined;
  const station = topic.slice(start.length, -'/config'.length);
  try {
    const { state_topic } = OwnConfig.parse(JSON.parse(payload));
    return state_topic === stateTopic(prefix, station) ? station : undefined;
  } catch {
    return undefined; // another product's, or removed
  }
}
