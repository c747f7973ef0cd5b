// Why the part of the day was as loud as it was, or what came back over several days: causes, most energy first.
import { pitchOf } from '../../texts/cause-text.ts';
import { isNight } from '../cards/stretches.ts';
import {
  andText,
  causeText,
  clocksText,
  countText,
  decibelText,
  lengthText,
  listText,
  shareOfAllowedText,
  timeText,
  wholeLevelText,
} from '../locale-format.ts';
import { type Cause, noEpisodesText, useCauses, type WhyEpisode, type WhyPart } from '../state/causes.ts';
import { type Shown, useWhyBefore } from '../state/shown.ts';
import { showInterval, timesIn } from '../state/shown-interval.ts';
import { type Scale, scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { PointsEnd } from './notices.tsx';
import { Panel } from './panel-frame.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { why: words } = texts;

export function WhyPanel({ shown }: { shown: Shown }) {
  const { query, isTooLong, data, part, parts, causes } = useCauses(shown);
  const before = useWhyBefore(shown, part).data?.parts.find(({ from }) => from === part?.from);
  const scale = scaleIn(data?.scale);
  const explained = part ? [part] : parts;
  const isEmpty = data && scale.hasEnergy && explained.every(({ episodes }) => episodes.length === 0);
  return (
    <Panel
      title={part ? words.titleOf(nameOfPart(part)) : data ? words.titleOfSeveral : words.title}
      meaning="why"
      className="why"
      query={query}
    >
      {isTooLong && <p className="soft">{words.tooLong}</p>}
      <PointsEnd of={data} />
      {isEmpty && <p className="soft">{noEpisodesText(explained) ?? words.none}</p>}
      <NoEnergy scale={scale} interval={shown.interval} />
      {part && part.episodes.length > 0 && causes.length === 0 && <p className="soft">{words.nothing}</p>}
      <ol className="causes">
        {causes.map((cause) => (
          <CauseRow key={cause.letter} cause={cause} part={part} before={before} />
        ))}
      </ol>
      {part && <Rest part={part} causes={causes} scale={scale} />}
      {part && <WithoutLoudest part={part} causes={causes} />}
    </Panel>
  );
}

const nameOfPart = ({ from, to, is_running }: Pick<WhyPart, 'from' | 'to' | 'is_running'>) => {
  const name = isNight({ from }) ? texts.level.night : texts.level.day;
  return `${name}, ${is_running ? texts.since(timeText(from, 'clock')) : clocksText(from, to)}`;
};

/** A duration, to the minute if it is long. */
const roundedText = (seconds: number) => lengthText(seconds < 300 ? seconds : 60 * Math.round(seconds / 60));

interface RowProps {
  readonly cause: Cause;
  /** Undefined for the causes of several parts. */
  readonly part: WhyPart | undefined;
  /** The part with its earlier causes, once they are known. */
  readonly before: WhyPart | undefined;
}

/** A cause. A click shows its time. */
function CauseRow({ cause: { letter, episodes, main }, part, before }: RowProps) {
  const background = `var(--${pitchOf(main.band_main_hz)})`;
  const share = shareOfAllowedText(main.share_percent, (part ?? episodes[0]?.part)?.at_least === true);
  const { again = [] } =
    before?.episodes.find(({ kind, from }) => kind === main.kind && from === main.from) ?? {};
  const nights = new Set(episodes.map((each) => each.part.from)).size;
  return (
    <li>
      <b aria-hidden="true" style={{ background }}>
        {letter}
      </b>
      <button type="button" className="plain" onClick={() => showEpisode(main)}>
        {causeText(main)}
      </button>
      <strong>{part ? share : words.times(countText(nights))}</strong>
      <small className="soft">
        {listText(
          [part ? '' : daysOf(episodes), detailOf(main), again[0] ? words.also(daysOf(again)) : ''],
          ' · ',
        )}
      </small>
      {part ? (
        <span className="share" aria-hidden="true">
          <i style={{ width: `${Math.min(main.share_percent, 100)}%`, background }} />
        </span>
      ) : (
        <small className="soft">{words.upTo(share)}</small>
      )}
    </li>
  );
}

function showEpisode(episode: WhyEpisode): void {
  const { from, to } = timesIn(episode);
  const margin = Math.max(to - from, 300_000) / 4;
  showInterval({ from: from - margin, to: to + margin });
}

/** For example `22:00–01:30 · 3 h 30 min · 52 dB`, or `3 × 12 min, 02:06–05:38 · 43 dB`. */
function detailOf(episode: WhyEpisode): string {
  const { kind, run_count, duration_seconds: seconds, leq_db, max_db } = episode;
  const length =
    run_count === 1 || kind === 'passing'
      ? roundedText(seconds)
      : `${countText(run_count)} × ${roundedText(seconds / run_count)}`;
  const level = leq_db === null ? '' : `${wholeLevelText(leq_db)} dB`;
  const isSteady = kind === 'tone' || kind === 'steady';
  const most = isSteady || max_db === null ? '' : words.most(wholeLevelText(max_db));
  return listText([clocksText(episode.from, episode.to), length, listText([level, most])], ' · ');
}

const daysOf = (episodes: readonly { readonly from: string }[]) =>
  listText([...new Set(episodes.map(({ from }) => timeText(from, 'weekday name')))]);

/** What the list leaves: small causes and the background. */
function Rest({ part, causes, scale }: { part: WhyPart; causes: readonly Cause[]; scale: Scale }) {
  const listed = causes.reduce((sum, { main }) => sum + main.share_percent, 0);
  if (part.episodes.length === 0) return null;
  const level = part.background_db === null ? '' : `${decibelText(part.background_db)} ${scale.unit}`;
  return (
    <p className="rest soft">
      <span>{words.rest(level)}</span>{' '}
      <span>{shareOfAllowedText((part.used_percent ?? 100) - listed, false)}</span>
    </p>
  );
}

/** For example `Without A and B: 44.6 dB, within the limit`. */
function WithoutLoudest({ part, causes }: { part: WhyPart; causes: readonly Cause[] }) {
  const { enough, used_percent, limit_db, episodes } = part;
  if (enough === null || enough === 0 || used_percent === null || limit_db === null) return null;
  const left = episodes
    .slice(0, enough)
    .reduce((sum, { share_percent }) => sum - share_percent, used_percent);
  const level = decibelText(limit_db + 10 * Math.log10(left / 100));
  const letters = causes.slice(0, enough).map(({ letter }) => letter);
  const all = letters.length < enough ? words.first(countText(enough)) : andText(letters);
  return <p className="hint">{words.without(all, level)}</p>;
}
