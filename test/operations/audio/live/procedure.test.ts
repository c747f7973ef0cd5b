import { expect, it } from 'vitest';
import { instantOf } from '../../../../src/contract/instant.ts';
import { createAdmission } from '../../../../src/load/admission.ts';
import { LiveInput } from '../../../../src/operations/audio/live/contract.ts';
import { openStream } from '../../../../src/operations/audio/live/procedure.ts';
import { NOW } from '../../../service.ts';
import { contextWith } from '../../context.ts';

const at = (seconds: number) => instantOf(Date.parse(NOW) - seconds * 1000);
/** The id of an event this many seconds before the service's clock. */
const idOf = (seconds: number) => `${at(seconds)}~100~00f1e2d3c4b5a697`;

it.each([
  [{}, false, false],
  [{ from: 'now-1m' }, false, false],
  [{ from: 'now-100s' }, false, false],
  [{ from: 'now-101s' }, false, true],
  [{ from: at(100) }, false, false],
  [{ from: at(100.001) }, false, true],
  [{ from: at(-3600) }, false, false],
  [{ from: 'now-1h', lastEventId: idOf(90) }, false, false],
  [{ lastEventId: idOf(90.001) }, false, true],
  [{ lastEventId: idOf(-10) }, false, false],
  [{ lastEventId: idOf(-10.001) }, false, true],
  [{ lastEventId: idOf(3600) }, true, false],
  [{ from: 'now-1h', lastEventId: idOf(3600) }, true, false],
])(
  'opening a stream from %j with its event cached (%s) counts as heavy work: %s',
  async (input, isKept, isHeavy) => {
    const admission = createAdmission({});
    const open = async () => {
      const { light, heavy } = admission;
      expect([light.running, heavy.running]).toEqual(isHeavy ? [0, 1] : [1, 0]);
      throw new Error('opened');
    };
    const live = { open, canResume: () => isKept };
    const opened = openStream(contextWith({ admission, live }), LiveInput.parse(input));
    await expect(opened).rejects.toThrow('opened');
  },
);
