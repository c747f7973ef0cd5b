// A span of time.

/** Half open, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}
