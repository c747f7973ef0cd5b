// The lane below the chart: when each cause sounded. Its letters are those of the list.
import { pitchOf } from '../../texts/cause-text.ts';
import { letterOf, useCauses } from '../state/causes.ts';
import type { Shown } from '../state/shown.ts';
import { timesIn } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';

/** The least width of a run with its letter inside, and the least distance of letters, as shares of the lane. */
const [LEAST_INSIDE, LEAST_APART] = [0.03, 0.02];

type Run = readonly [start: number, end: number];

const lengthOf = ([start, end]: Run) => end - start;

export function WhyLane({ shown }: { shown: Shown }) {
  const { parts, part, causes } = useCauses(shown);
  const { from, to } = shown.interval;
  const at = (ms: number) => Math.min(Math.max((ms - from) / (to - from), 0), 1);
  const drawn = parts.flatMap(({ from: start, episodes }) =>
    episodes.map((episode) => ({
      key: `${start} ${episode.kind} ${episode.from} ${episode.band_main_hz}`,
      colour: `var(--${pitchOf(episode.band_main_hz)})`,
      share: episode.share_percent,
      letter: letterOf(episode, causes),
      runs: episode.runs.map((run): Run => [at(timesIn(run).from), at(timesIn(run).to)]).filter(lengthOf),
    })),
  );
  const letters: { at: number; isInside: boolean; of: (typeof drawn)[number] }[] = [];
  for (const of of drawn.toSorted((a, b) => b.share - a.share)) {
    const [longest] = of.runs.toSorted((a, b) => lengthOf(b) - lengthOf(a));
    if (!of.letter || !longest) continue;
    const middle = (longest[0] + longest[1]) / 2;
    if (letters.every((other) => Math.abs(other.at - middle) >= LEAST_APART))
      letters.push({ at: middle, isInside: lengthOf(longest) >= LEAST_INSIDE, of });
  }
  return (
    <div className="why-lane" aria-hidden="true">
      <small className="soft">{texts.why.title}</small>
      <svg viewBox="0 0 1000 22" preserveAspectRatio="none" aria-hidden="true">
        {drawn
          .filter(({ letter }) => letter || part) // over several parts, only what is listed
          .map(({ key, colour, letter, runs }) => (
            <path
              key={key}
              fill={colour}
              stroke={colour}
              opacity={letter ? 1 : 0.4}
              d={runs.map(([start, end]) => `M${start * 1000} 1V21H${end * 1000}V1z`).join('')}
            />
          ))}
      </svg>
      {letters.map(({ at, isInside, of: { key, colour, letter } }) => (
        <b
          key={key}
          className={isInside ? '' : 'above'}
          style={{ left: `${100 * at}%`, background: isInside ? colour : 'none' }}
        >
          {letter}
        </b>
      ))}
    </div>
  );
}
