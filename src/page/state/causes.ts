// What made the parts of the interval loud: the causes that the list, the lane and the allowance bar share.
import { useMemo } from 'react';
import type { Outputs } from '../../client/index.ts';
import { useStretches } from '../cards/stretches.ts';
import { texts } from '../texts/texts.ts';
import { sentence } from '../verdict-text.ts';
import { DAY_MS } from './calendar-intervals.ts';
import { dataOn, type Shown, useWhy } from './shown.ts';

export type WhyPart = Outputs['stats']['why']['parts'][number];
export type WhyEpisode = WhyPart['episodes'][number];

/** Episodes of one kind and pitch: one of a single part, or those that came back in several parts. */
export interface Cause {
  /** `A` is the cause with the most energy in one part. */
  readonly letter: string;
  /** In order of time. */
  readonly episodes: readonly (WhyEpisode & { readonly part: WhyPart })[];
  /** The one with the largest share. */
  readonly main: WhyEpisode;
}

/** Shorter intervals list the causes of one part of a day. */
const MOST_OF_ONE_MS = 2 * DAY_MS;
/** An episode is listed with this share of what the limit allows, or of what the part has used. */
const [LEAST_OF_ALLOWED, LEAST_OF_USED] = [5, 0.02];
const LETTERS = 'ABCDEFGH';

/** How the causes of an interval are queried, and what they are. */
export function useCauses(shown: Shown) {
  const { main } = useStretches(shown.info);
  const { query, isTooLong } = useWhy(shown);
  const data = dataOn(shown, query);
  const { from, to } = shown.interval;
  const isOne = to - from <= MOST_OF_ONE_MS;
  const verdictFrom = main?.from;
  const found = useMemo(() => {
    const parts = data?.parts ?? [];
    const loudest = parts
      .filter(({ episodes }) => episodes.length > 0)
      .toSorted((a, b) => (b.used_percent ?? 0) - (a.used_percent ?? 0))[0];
    /** The part in question; undefined if there are several. */
    const part = isOne ? (parts.find((each) => each.from === verdictFrom) ?? loudest) : undefined;
    return { part, parts, causes: listedCauses(part ? [part] : parts) };
  }, [data, isOne, verdictFrom]);
  return { ...found, query, isTooLong, data };
}

/** @returns the causes of some parts, those with the largest share of one part first */
export function listedCauses(parts: readonly WhyPart[]): Cause[] {
  const groups: (WhyEpisode & { part: WhyPart })[][] = [];
  for (const part of parts) {
    const least = Math.min(LEAST_OF_ALLOWED, LEAST_OF_USED * (part.used_percent ?? 100));
    for (const episode of part.episodes) {
      if (episode.kind === 'background' || episode.share_percent < least) continue;
      if (episode.kind === 'passing' && parts.length > 1) continue; // they come back every day
      const own = groups.find((group) => group.some((each) => each.part !== part && isAgain(episode, each)));
      if (own) own.push({ ...episode, part });
      else groups.push([{ ...episode, part }]);
    }
  }
  return groups
    .map((episodes) => ({
      episodes,
      main: episodes.reduce((most, each) => (each.share_percent > most.share_percent ? each : most)),
    }))
    .toSorted((a, b) => b.main.share_percent - a.main.share_percent)
    .slice(0, LETTERS.length)
    .map((cause, index) => ({ ...cause, letter: LETTERS.charAt(index) }));
}

/** Why parts have no episodes: '' if points were removed, which another line says; undefined if nothing was measured. */
export function noEpisodesText(parts: readonly WhyPart[]): string | undefined {
  const reasons = parts.flatMap(({ episodes_reason }) => episodes_reason ?? []);
  const reason = reasons.find((each) => each !== 'points_removed');
  return reason ? sentence(texts.reasons[reason]()) : reasons[0] && '';
}

const isAgain = (episode: WhyEpisode, earlier: WhyEpisode) =>
  episode.kind === earlier.kind &&
  episode.again.some(({ from, to }) => from === earlier.from && to === earlier.to);

/** @returns the letter of an episode in the list; '' if the list has none */
export const letterOf = (episode: WhyEpisode, causes: readonly Cause[]) =>
  causes.find(({ episodes }) =>
    episodes.some(
      (each) => each.kind === episode.kind && each.from === episode.from && each.to === episode.to,
    ),
  )?.letter ?? '';
