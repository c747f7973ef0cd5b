// Runs a recording program, and measures its sound.
import type { MeasuredPoint } from '../../sound/measured-point.ts';
import { createMeasuring } from '../measuring.ts';
import type { SourceCommand } from '../source-options.ts';
import type { SpoolWriter } from '../storing/spool/spool-writer.ts';
import { type ProgramOptions, startProgram } from './program.ts';

interface SourceOptions
  extends Omit<SourceCommand, 'spoolMaxMs' | 'station'>,
    Pick<ProgramOptions, 'clock' | 'log' | 'firstPauseMs'> {
  readonly writers: readonly SpoolWriter[];
}

export type Source = ReturnType<typeof startSource>;

/** @throws BadInput if the rate is too low for the interval to hold a sample */
export function startSource(options: SourceOptions) {
  const { command, raw, writers, clock, log, firstPauseMs } = options;
  const { watch, begin } = createMeasuring(options, raw, (line) => log.warn(line));
  begin(clock); // throws now rather than at each start

  async function measure(sound: AsyncIterable<Uint8Array>): Promise<void> {
    const meter = begin(clock);
    const add = async (levels: MeasuredPoint[][]) => {
      for (const [index, points] of levels.entries()) await writers[index]?.add(points);
    };
    try {
      for await (const piece of sound) await add(meter.push(piece));
    } finally {
      await add(meter.finish());
      watch.end();
    }
  }

  const program = startProgram({ command, name: 'recorder', read: measure, clock, log, firstPauseMs });
  return {
    state: program.state,
    /** Ends the program and its child processes, and writes the remaining points. */
    async stop(): Promise<void> {
      await program.stop();
      const clipped = watch.clipped();
      if (clipped) log.warn(`Clipped in ${clipped}`);
      await writers.reduce((closed, each) => closed.finally(() => each.close()), Promise.resolve());
    },
  };
}
