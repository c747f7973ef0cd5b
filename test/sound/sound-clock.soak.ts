// Sound from simulated microphones, for days and with more seeds; prints how far off the windows were.
import { describe, expect, it } from 'vitest';
import { soakNumber } from '../seeded.ts';
import { datesWithSeed, type Outcome, PERCENT, play, RATE_HZ, rounded } from './sound-clock.ts';

function report(what: string, { earliest, latest, off, heldMs, gaps }: Outcome): void {
  console.log(
    `${what}: ${rounded(earliest)} to ${rounded(latest)} ms off, ${off} windows by more than 20 ms, held ${Math.round(heldMs)} ms at most, ${gaps.length} gaps`,
  );
}

describe('The clock of live sound', () => {
  it.each([-100, 100])('follows the clock with a card that drifts by %i ppm, for a day', (drift) => {
    const outcome = play({ seconds: 86_400, drift });
    report(`A day at ${drift} ppm`, outcome);
    expect(outcome.count).toBeGreaterThan(863_000);
    expect(outcome.gaps).toEqual([]);
    expect(outcome.earliest).toBeGreaterThan(-15);
    expect(outcome.latest).toBeLessThan(15);
  });

  it.each([10, 100, 1000])(
    'follows a card that is 1 % too fast for half an hour, with windows of %i ms',
    (ms) => {
      const outcome = play({ seconds: 1800, drift: PERCENT, window: (ms * RATE_HZ) / 1000 });
      report(`Half an hour at 1 %, ${ms} ms`, outcome);
      expect(outcome.gaps).toEqual([]);
      expect([outcome.earliest > -45, outcome.latest < 45]).toEqual([true, true]);
    },
  );

  for (let seed = 1; seed <= soakNumber('CLOCK_SEEDS', 5); seed++) datesWithSeed(seed, report);
});
