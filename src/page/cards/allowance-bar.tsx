// The allowance bar: how much of the energy that its limit allows a part of the day has used, by causes.
import { pitchOf } from '../../texts/cause-text.ts';
import { causeText, decibelText, shareOfAllowedText } from '../locale-format.ts';
import { type Cause, letterOf, listedCauses, type WhyPart } from '../state/causes.ts';
import { timesIn } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';
import type { Stretch } from './stretches.ts';

const { allowance: words } = texts;

interface Props {
  readonly of: Stretch;
  /** What made the part loud; undefined while unknown. */
  readonly made: WhyPart | undefined;
  /** The causes of the list, for their letters. */
  readonly listed: readonly Cause[];
  readonly now: number;
}

/** From this on, a part has used a multiple of what it may. */
const LEAST_MULTIPLE = 150;
/** Smaller shares of the bar have no letter. */
const LEAST_LETTERED = 0.06;

export function AllowanceBar({ of, made, listed, now }: Props) {
  const { used_percent: used, is_running } = of;
  if (used === null) return <div className="allowance" />;
  const whole = Math.max(used, 100);
  const { from, to } = timesIn(of);
  const passed = is_running && used <= 100 ? (now - from) / (to - from) : null;
  const shares = listedCauses(made ? [made] : []).map(({ main }) => main);
  const text = shareOfAllowedText(used, made?.at_least === true);
  return (
    <div className={`allowance ${used > 100 ? 'over' : ''}`}>
      <p>{used >= LEAST_MULTIPLE ? words.times(decibelText(used / 100)) : words.title}</p>
      <div className="bar" role="img" aria-label={`${words.usedOf} ${text}`}>
        <div style={{ width: `${(100 * used) / whole}%` }}>
          {shares.map((episode) => {
            const letter = letterOf(episode, listed);
            const share = episode.share_percent / used;
            return (
              <i
                key={`${episode.kind} ${episode.from} ${episode.band_main_hz}`}
                style={{ width: `${100 * share}%`, background: `var(--${pitchOf(episode.band_main_hz)})` }}
                title={`${causeText(episode)}: ${shareOfAllowedText(episode.share_percent, false)}`}
              >
                {share * used >= LEAST_LETTERED * whole && letter}
              </i>
            );
          })}
        </div>
        {used > 100 && <span style={{ left: `${10_000 / whole}%` }} />}
        {passed !== null && <span className="clock" style={{ left: `${100 * passed}%` }} />}
      </div>
      <p className="soft">
        <span>
          {words.usedOf} <b>{text}</b>
        </span>
        <span>{passed === null ? words.allowed : words.clock(shareOfAllowedText(100 * passed, false))}</span>
      </p>
    </div>
  );
}
