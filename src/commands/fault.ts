// What is wrong with a line of a table, and the advice that follows when the message is printed.

export interface LineFault {
  /** The kind of fault, equal for all such lines. */
  readonly kind: string;
  /** This line's fault, with what is allowed or what to type unless `advise` adds that. */
  readonly fault: string;
  /** The text that was refused. */
  readonly text?: string;
  /** Whether no later line can be read either. */
  readonly isFinal?: true;
  /** Whether the text is not a time of the format. */
  readonly isNoTime?: true;
  /** The level in the line, before any offset. */
  readonly givenDb?: number | undefined;
  /** @param texts the first refused texts of this kind. @returns the end of the message, such as `: try --zone` */
  advise?(texts: readonly string[]): string;
}

/** @param is what is wrong, such as `is not a number`. @param more what is allowed, or what to type */
export const textFault = (what: string, text: string, is: string, more = ''): LineFault => ({
  kind: `the ${what} ${is}`,
  fault: `the ${what} ${JSON.stringify(text.slice(0, 80))} ${is}${more}`,
  text,
});

/** The fault with its advice. @param texts the first refused texts of its kind */
export const messageOfFault = (
  { fault, text, advise }: LineFault,
  texts: readonly string[] = text === undefined ? [] : [text],
): string => fault + (advise?.(texts) ?? '');
