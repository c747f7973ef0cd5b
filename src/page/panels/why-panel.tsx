// What made each part of the interval loud: its episodes, most energy first.
import type { ReactNode } from 'react';
import type { Outputs } from '../../client/index.ts';
import {
  causeText,
  countText,
  decibelText,
  lengthText,
  levelText,
  rangeText,
  wholePercentText,
} from '../locale-format.ts';
import { type Shown, useWhy } from '../state/shown.ts';
import { showInterval } from '../state/shown-interval.ts';
import { type Scale, scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { Panel } from './panel-frame.tsx';
import { ScrollingTable } from './scrolling-table.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { why: words } = texts;

type Causes = Outputs['stats']['why']['parts'][number];
type Episode = Causes['episodes'][number];

/** The newest parts are listed; on paper, the part that used most of what its limit allows. */
const [LISTED, LISTED_ON_PAPER] = [6, 1];
/** How many episodes of each are listed. */
const [MOST, MOST_ON_PAPER] = [10, 3];
/** An episode is listed with this share of what the limit allows, or of what the part has used. */
const [LEAST_OF_ALLOWED, LEAST_OF_USED] = [5, 0.02];

export function WhyPanel({ shown }: { shown: Shown }) {
  const { query, isTooLong } = useWhy(shown);
  const { data } = query;
  const scale = scaleIn(data?.scale);
  const newest = (data?.parts ?? []).filter(({ episodes }) => episodes.length > 0).toReversed();
  const parts = shown.isOnPaper
    ? newest.toSorted((a, b) => (b.used_percent ?? 0) - (a.used_percent ?? 0)).slice(0, LISTED_ON_PAPER)
    : newest.slice(0, LISTED);
  return (
    <Panel title={words.title} meaning="why" className="why" query={query}>
      {isTooLong && <p className="soft">{words.tooLong}</p>}
      {data && parts.length === 0 && scale.hasEnergy && <p className="soft">{words.none}</p>}
      <NoEnergy scale={scale} interval={shown.interval} />
      {parts.map((part) => (
        <PartCauses key={part.from} part={part} scale={scale} most={shown.isOnPaper ? MOST_ON_PAPER : MOST} />
      ))}
    </Panel>
  );
}

function PartCauses({ part, scale, most }: { part: Causes; scale: Scale; most: number }) {
  const { episodes, used_percent, at_least } = part;
  const least = Math.min(LEAST_OF_ALLOWED, LEAST_OF_USED * (used_percent ?? 100));
  const listed = episodes
    .filter(({ kind, share_percent }) => kind !== 'background' && share_percent >= least)
    .slice(0, most);
  const rest = listed.reduce((left, { share_percent }) => left - share_percent, used_percent ?? 100);
  const shareOf = (share: number) => `${at_least ? '≥ ' : ''}${wholePercentText(share)}`;
  const times = rangeText(Date.parse(part.from), Date.parse(part.to), 'minute');
  return (
    <>
      <ScrollingTable
        label={words.table(times)}
        caption={used_percent === null ? times : words.used(times, shareOf(used_percent))}
        columns={words.columns(scale.unit)}
        rows={[
          ...listed.map((episode): readonly [key: string, heading: ReactNode, ...cells: ReactNode[]] => [
            `${episode.kind} ${episode.from}`,
            <Named key="name" of={episode} />,
            timesOf(episode),
            levelText(episode.leq_db, scale),
            shareOf(episode.share_percent),
          ]),
          ['rest', words.rest, '', '', wholePercentText(rest)],
        ]}
      />
      <WithoutLoudest part={part} />
    </>
  );
}

/** The name of an episode. A click shows its time. */
function Named({ of }: { of: Episode }) {
  const [from, to] = [Date.parse(of.from), Date.parse(of.to)];
  const margin = Math.max(to - from, 300_000) / 4;
  return (
    <button
      type="button"
      className="link"
      onClick={() => showInterval({ from: from - margin, to: to + margin })}
    >
      {causeText(of)}
    </button>
  );
}

/** For example `02:10–02:40`, or `3 × 12 min` for several runs. */
function timesOf({ kind, from, to, run_count, duration_seconds, again }: Episode): string {
  const times =
    run_count === 1
      ? rangeText(Date.parse(from), Date.parse(to), 'minute')
      : kind === 'passing'
        ? lengthText(duration_seconds)
        : `${countText(run_count)} × ${lengthText(duration_seconds / run_count)}`;
  return again.length === 0
    ? times
    : `${times}, ${words.again(countText(again.length + 1), again.length + 1)}`;
}

/** For example `Without the first 2: 44.6 dB, within the limit`. */
function WithoutLoudest({ part }: { part: Causes }) {
  const { enough, used_percent, limit_db, episodes } = part;
  if (enough === null || enough === 0 || used_percent === null || limit_db === null) return null;
  const left = episodes
    .slice(0, enough)
    .reduce((sum, { share_percent }) => sum - share_percent, used_percent);
  const level = limit_db + 10 * Math.log10(left / 100);
  return <p className="hint">{words.without(enough, countText(enough), decibelText(level))}</p>;
}
