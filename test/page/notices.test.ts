import { expect, it } from 'vitest';
import { commandToRecord } from '../../src/page/panels/notices.tsx';

it.each([
  ['/', ''],
  ['/noise/', ''],
  ['/stations/default/', ''],
  ['/stations/garden/', ' --station garden'],
  ['/noise/stations/garden/', ' --station garden'],
])('suggests recording into the station of the page %s', (path, station) => {
  expect(commandToRecord(path)).toMatch(new RegExp(`^arecord .* --format s16le${station}$`));
});
