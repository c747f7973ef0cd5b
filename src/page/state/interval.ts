// An interval of time.

/** Half open, in milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}
