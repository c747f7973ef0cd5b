// What a tab tells the worker that all tabs share, and how often.

/** A tab wants the points that a key may read; null when it wants none any more. Repeated while it does. */
export type Wish = { readonly apiKey: string | undefined } | null;

export const WISH_EVERY_MS = 10_000;

/** After so many wishes without an answer the other side is taken for gone. */
export const MOST_UNANSWERED = 3;
