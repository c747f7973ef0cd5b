// What the words of a reason may name, as texts in the same language. A fact that is unknown is ''.

export interface ReasonFacts {
  /** How much was measured, unless it stands beside the reason. */
  readonly measured: string;
  /** Whether the interval lacks a portion of the part. */
  readonly isCut: boolean;
  /** The stretches of which too little was measured; null if the whole part is assessed or none lacks. */
  readonly lacking: { readonly count: number; readonly of: 'hour' | '15m' } | null;
  /** The lowest level that can be recorded, with its unit. */
  readonly floor: string;
  /** How many levels are at the ceiling; 0 if windows are overloaded. */
  readonly ceilingCount: number;
  readonly ceilingText: string;
  /** The first minute with such a level or window. */
  readonly firstAtCeiling: string;
  readonly uncertainty: string;
  /** The weighting of the levels, such as `Z`. */
  readonly levelWeighting: string;
  readonly limitWeighting: string;
  /** The station's name in commands. */
  readonly station: string;
}

export const NO_FACTS: ReasonFacts = {
  measured: '',
  isCut: false,
  lacking: null,
  floor: '',
  ceilingCount: 0,
  ceilingText: '',
  firstAtCeiling: '',
  uncertainty: '',
  levelWeighting: '',
  limitWeighting: '',
  station: '',
};
