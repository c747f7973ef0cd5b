// The sensors in `examples/home-assistant`: fetches their addresses, and renders their templates with Jinja.
import { describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { firstThatRuns, run } from '../program.ts';
import { insertPoints, NOW } from '../service.ts';
import { EXAMPLES, hasYaml, readYaml } from './run.ts';

const jinja = firstThatRuns(['python3', '-c', 'import jinja2'], ['/usr/bin/python3', '-c', 'import jinja2']);

/** Renders templates with their answers, and with the Home Assistant functions that they call. */
const RENDER = `
import json, sys
from datetime import datetime
from jinja2 import Environment, StrictUndefined
jinja = Environment(undefined=StrictUndefined)
jinja.globals.update(now=lambda: '${NOW}', as_timestamp=lambda text: datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp())
def state(value, availability, template):
  render = lambda text: jinja.from_string(text).render(value_json=value).strip()
  return render(template) if render(availability) == 'True' else 'unavailable'
json.dump({name: state(*given) for name, given in json.load(sys.stdin).items()}, sys.stdout)
`;

interface Sensor {
  name: string;
  value_template: string;
  availability?: string;
}

describe('The sensors for Home Assistant', needs('PyYAML and Jinja', hasYaml && jinja), () => {
  const service = openForAll(() => startSmallService({ site: { calibrationOffsetDb: 90 } }));
  const uncalibrated = openForAll(() => startSmallService());

  /** The state of each sensor, or `unavailable` if its template says so. */
  async function states(address = service.url): Promise<Record<string, string>> {
    const given: Record<string, unknown[]> = {};
    for (const { resource, sensor = [], binary_sensor = [] } of readYaml('home-assistant/audio_metrics.yaml')
      .rest) {
      const { href, origin } = new URL(resource);
      const value = await (await fetch(href.replace(origin, address))).json();
      const sensors: Sensor[] = [...sensor, ...binary_sensor];
      for (const { name, value_template, availability = 'True' } of sensors)
        given[name] = [value, availability, value_template];
    }
    const input = JSON.stringify(given);
    const { stdout, stderr } = await run([jinja ?? '', '-c', RENDER], { cwd: EXAMPLES, input });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  it('are unavailable if the answer is an error, such as without a calibration', async () => {
    for (const address of [`${service.url}/elsewhere`, uncalibrated.url])
      expect(await states(address)).toEqual({
        'Sound level': 'unavailable',
        'Sound level of the last hour': 'unavailable',
        'Sound recorder': 'unavailable',
      });
  });

  it('are sound pressure, in a unit that Home Assistant accepts for it', () => {
    const sensors = readYaml('home-assistant/audio_metrics.yaml').rest.flatMap(
      ({ sensor }: { sensor: object[] }) => sensor,
    );
    const kind = { device_class: 'sound_pressure', unit_of_measurement: 'dB', state_class: 'measurement' };
    expect(sensors).toMatchObject([kind, kind]);
  });

  it('are unavailable if the newest point is old', async () => {
    expect(await states()).toEqual({
      'Sound level': 'unavailable',
      'Sound level of the last hour': 'unavailable',
      'Sound recorder': 'False',
    });
  });

  it('show the level now, and the Leq of the last hour', async () => {
    await service.sql(
      insertPoints([
        ['2026-03-01T11:30:00Z', -20, null],
        ['2026-03-01T12:00:00Z', -12.25, 440],
      ]),
    );
    const { body } = await service.get('/stats/summary?levels=absolute');
    expect(await states()).toEqual({
      'Sound level': '77.75',
      'Sound level of the last hour': body.leq_db.toFixed(1),
      'Sound recorder': 'True',
    });
  });

  it('show no level if the newest point has none', async () => {
    await service.sql(insertPoints([['2026-03-01T12:00:00.25Z', null, null, true]]));
    expect(await states()).toMatchObject({ 'Sound level': 'unavailable', 'Sound recorder': 'True' });
  });
});
