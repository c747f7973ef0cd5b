// Defines the error for bad input: a recording or CSV file that cannot be measured or stored.

/** The message is for the user and locates the fault. */
export class BadInput extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BadInput';
  }
}

/**
 * The error for a load that the user interrupts.
 *
 * @param file the file being loaded, if others were loaded before
 */
export function interrupted(file?: string): BadInput {
  return new BadInput(
    file === undefined
      ? 'Interrupted: nothing more was stored'
      : `Interrupted: the rest of ${file} and the files after it were not stored`,
  );
}
