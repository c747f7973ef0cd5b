// Defines the error for bad input: a recording or CSV file that cannot be measured or stored.

/** A recording or CSV file is bad. The message is for its owner and says where. */
export class BadInput extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BadInput';
  }
}

/** The error that ends the loading of a file when the user interrupts it. */
export function interrupted(): BadInput {
  return new BadInput('Interrupted: nothing was stored');
}
