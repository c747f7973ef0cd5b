// Corrections of the clock that dates live sound: the recorder reports each in its log.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { createCorrectionLog } from '../../src/sound/live-meter.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { createRun, file, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const at = (second: number) => instantOf(1000 * second);
const CAUSES = 'Sound was lost, the clock was set, or the sound card is off its rate.';

describe('The log of corrections', () => {
  /** @param moved the corrections, by second, of windows of a second each */
  function logOf(moved: Readonly<Record<number, number>>, seconds: number): string[] {
    const lines: string[] = [];
    const log = createCorrectionLog((line) => lines.push(line));
    for (let second = 0; second < seconds; second++) {
      const correctionMs = moved[second];
      log.add([{ time: at(second), ...(correctionMs !== undefined && { correctionMs }) }]);
    }
    lines.push('end');
    log.end();
    return lines;
  }

  it('has a line for a correction, with its sign and time', () => {
    expect(logOf({ 31: -20.25, 70: 3000 }, 80)).toEqual([
      `Clock corrected: -20.25 ms at ${at(31)}. ${CAUSES}`,
      `Clock corrected: +3000 ms at ${at(70)}. ${CAUSES}`,
      'end',
    ]);
  });

  it('counts further corrections in the same minute, and gives the largest of them', () => {
    expect(logOf({ 1: 2, 5: 3, 6: -4, 59: 2.5, 60: 5, 61: 7 }, 70)).toEqual([
      `Clock corrected: +2 ms at ${at(1)}. ${CAUSES}`,
      `Clock corrected: 3 corrections since ${at(5)}, the largest -4 ms at ${at(6)}. ${CAUSES}`,
      `Clock corrected: +5 ms at ${at(60)}. ${CAUSES}`,
      'end',
      `Clock corrected: +7 ms at ${at(61)}. ${CAUSES}`,
    ]);
  });

  it('is empty without corrections', () => {
    expect(logOf({}, 120)).toEqual(['end']);
  });
});

describeOnWire('A recorder', (engine) => {
  const test = openForAll(() => engine.open());
  const clocks = () => test.sql('select clock from audio_data_periods order by since');
  const sound = (seconds: number) => encode('s16', [sine(997, 0.5)], 8000, 8000 * seconds);

  it('reports lost samples of a stream once', async () => {
    const pieces = Array.from({ length: 200 }, () => sound(0.1));
    const run = createRun({ stdin: Readable.from(pieces), onto: test.db });
    let read = 0;
    /** Advances as pieces arrive. Three seconds of sound are lost after five. */
    const clock = () => {
      read += 1;
      return 60_000 + 100 * read + (read > 50 ? 3000 : 0);
    };
    await record(['-', '--rate', '8000', '--format', 's16le'], { ...run.io, clock });
    const lines = run.lines.filter((line) => line.startsWith('Clock corrected'));
    expect(lines).toEqual([
      expect.stringMatching(/^Clock corrected: \+3000(\.\d+)? ms at 1970-01-01T00:01:0/),
    ]);
    expect(await clocks()).toEqual([{ clock: 'machine' }]);
  });

  it('reports none for recordings, whose periods give the source of the start', async () => {
    await test.sql('truncate audio_data; truncate audio_data_periods');
    const path = file(wav(sound(1)), 'rec_19700101_000000.wav');
    const run = createRun({ onto: test.db });
    await record([path, '--name-time', 'rec_YYYYMMDD_HHmmss', '--zone', 'UTC'], run.io);
    expect(await clocks()).toEqual([{ clock: 'name' }]);
    const stdin = Readable.from([sound(1)]);
    const stream = ['-', '--rate', '8000', '--format', 's16le', '--start', at(10)];
    await record(stream, createRun({ stdin, onto: test.db }).io);
    await record([path, '--start', at(20)], run.io);
    expect(await clocks()).toEqual([{ clock: 'name' }, { clock: 'start' }]);
    expect(run.lines.filter((line) => line.startsWith('Clock corrected'))).toEqual([]);
  });
});
