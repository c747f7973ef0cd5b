// The causes that the list, the lane and the allowance bar share: which are listed, in which order, and what came back.
import { describe, expect, it } from 'vitest';
import { WhyOutput } from '../../src/operations/stats/why/contract.ts';
import { letterOf, listedCauses, type WhyEpisode, type WhyPart } from '../../src/page/state/causes.ts';

const [example] = WhyOutput.parse(WhyOutput.meta()?.examples?.[0]).parts;
const [tone] = example?.episodes ?? [];
if (!example || !tone) throw new Error('The example has no episode');

const at = (day: number) => `2026-01-0${day}T01:00:00.000000Z`;
const night = (day: number, used_percent: number | null, ...episodes: Partial<WhyEpisode>[]): WhyPart => ({
  ...example,
  from: at(day),
  used_percent,
  episodes: episodes.map((episode) => ({ ...tone, from: at(day), to: at(day + 1), again: [], ...episode })),
});
const again = (...days: number[]) => ({ again: days.map((day) => ({ from: at(day), to: at(day + 1) })) });
const said = (parts: readonly WhyPart[]) =>
  listedCauses(parts).map(({ letter, main, episodes }) => [
    letter,
    main.kind,
    main.share_percent,
    episodes.length,
  ]);

describe('the causes', () => {
  it('of one part are its episodes with 5 % of what the limit allows, or 2 % of what was used', () => {
    const part = night(
      1,
      40,
      { kind: 'tone', share_percent: 30 },
      { kind: 'passing', share_percent: 5 },
      { kind: 'steady', share_percent: 0.8 },
      { kind: 'bursts', share_percent: 0.7 },
      { kind: 'background', share_percent: 3.5 },
    );
    expect(said([part])).toEqual([
      ['A', 'tone', 30, 1],
      ['B', 'passing', 5, 1],
      ['C', 'steady', 0.8, 1],
    ]);
    expect(said([{ ...part, used_percent: 400 }])).toHaveLength(2);
    expect(said([{ ...part, used_percent: null }])).toHaveLength(2);
  });

  it('of several parts are what came back, by the largest share of one part; passing sounds always do', () => {
    const parts = [
      night(1, 100, { kind: 'bursts', share_percent: 60 }, { kind: 'tone', share_percent: 20 }),
      night(3, 100, { kind: 'passing', share_percent: 90 }),
      night(5, 100, { kind: 'tone', share_percent: 70, ...again(1) }),
      night(7, 100, { kind: 'tone', share_percent: 10, ...again(1, 5) }),
    ];
    expect(said(parts)).toEqual([
      ['A', 'tone', 70, 3],
      ['B', 'bursts', 60, 1],
    ]);
    const causes = listedCauses(parts);
    expect(parts.map(({ episodes }) => episodes.map((each) => letterOf(each, causes)))).toEqual([
      ['B', 'A'],
      [''],
      ['A'],
      ['A'],
    ]);
  });
});
