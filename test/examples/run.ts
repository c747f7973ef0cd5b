// Code that the tests of `examples` share.
import { spawnSync } from 'node:child_process';
import { firstThatRuns } from '../program.ts';

export const EXAMPLES = new URL('../../examples/', import.meta.url);

/** SQL that stores a point per second in the hour before `time`. Every tenth minute starts loud. */
export function storeHour(time: string): string {
  return `insert into audio_data
    select '${time}'::timestamptz - n * interval '1 s',
      case when n % 600 < 30 then -5.5 when n % 7 > 0 then -40 - n % 10 end,
      case when n % 3 = 0 then 440 end, n % 2 = 0
    from generate_series(1, 3600) n`;
}

const python = firstThatRuns(['python3', '-c', 'import yaml'], ['/usr/bin/python3', '-c', 'import yaml']);
/** True if {@link readYaml} works on this machine. */
export const hasYaml = python !== undefined;

/** The contents of a YAML file of `examples`, as JSON. YAML 1.1 reads `on` as true. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows the file
export function readYaml(path: string): any {
  const { stdout } = spawnSync(
    python ?? '',
    ['-c', 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)', path],
    { cwd: EXAMPLES, encoding: 'utf8' },
  );
  return JSON.parse(stdout);
}
