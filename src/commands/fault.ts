// What is wrong with a line of a table, and the advice that follows when the message is printed.

export interface TextFault {
  /** The kind of fault, equal for all such lines. */
  readonly kind: string;
  /** This line's fault, with what is allowed or what to type unless `advise` adds that. */
  readonly fault: string;
  /** The text that was refused. */
  readonly text?: string;
  /** @param texts the first refused texts of this kind. @returns the end of the message, such as `: try --zone` */
  advise?(texts: readonly string[]): string;
}

/** The fault with its advice. @param texts the first refused texts of its kind */
export const messageOfFault = (
  { fault, text, advise }: TextFault,
  texts: readonly string[] = text === undefined ? [] : [text],
): string => fault + (advise?.(texts) ?? '');
