// A stream under stress: a cut, a service that stops and starts, late points and duplicates.
import { it } from 'vitest';
import { describeOnWire } from '../../../engines.ts';
import { cutStreams } from './cut-streams.ts';

describeOnWire('A stream that is cut', (engine) => {
  it('delivers exactly the table to every listener', async () => {
    const streams = await cutStreams(engine);
    await streams.write(30);
    await streams.expectAll();
    streams.cut(0);
    streams.cut(1);
    await streams.write(30);
    await streams.restart(0);
    await streams.write(30);
    await streams.expectAll();
  });
});
