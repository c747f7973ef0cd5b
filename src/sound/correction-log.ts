// Reports corrections of the clock that dates live sound, in at most one line per minute of sound.

import { minuteOf } from '../contract/instant.ts';

/** A window that begins later or earlier than the previous one predicts. */
interface Corrected {
  readonly time: string;
  readonly correctionMs?: number;
}

/** @param say prints a line for the user */
export function createCorrectionLog(say: (line: string) => void) {
  let saidMinute = '';
  let unsaid: { readonly time: string; readonly correctionMs: number }[] = [];

  function flush(): void {
    const [first] = unsaid;
    if (!first) return;
    const largest = unsaid.reduce((most, each) =>
      Math.abs(each.correctionMs) > Math.abs(most.correctionMs) ? each : most,
    );
    const count = unsaid.length === 1 ? '' : `${unsaid.length} corrections since ${first.time}, the largest `;
    say(
      `Clock corrected: ${count}${signed(largest.correctionMs)} ms at ${largest.time}. Sound was lost, the clock was set, or the sound card is off its rate.`,
    );
    unsaid = [];
  }

  return {
    /** @param windows oldest first */
    add(windows: readonly Corrected[]): void {
      for (const { time, correctionMs } of windows) {
        const minute = minuteOf(time);
        if (minute !== saidMinute) flush();
        if (correctionMs === undefined) continue;
        unsaid.push({ time, correctionMs });
        if (minute === saidMinute) continue;
        flush();
        saidMinute = minute;
      }
    },
    /** Reports the corrections that the last line does not include. */
    end: flush,
  };
}

const signed = (ms: number) => `${ms > 0 ? '+' : ''}${ms}`;
