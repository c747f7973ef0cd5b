// Defines the error for bad input: a recording or CSV file that cannot be measured or stored.

/** A recording or CSV file is bad. The message is for its owner and says where. */
export class BadInput extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BadInput';
  }
}

/**
 * The error that ends the loading of files when the user interrupts it.
 *
 * @param file that was loaded then, where others were loaded before
 */
export function interrupted(file?: string): BadInput {
  return new BadInput(
    file === undefined
      ? 'Interrupted: nothing more was stored'
      : `Interrupted: nothing more of ${file} was stored, nor of what follows`,
  );
}
