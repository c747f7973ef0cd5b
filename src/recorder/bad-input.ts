// The fault that the user of the recorder can mend: input that cannot be measured or stored.

/** A recording or a CSV file is at fault; the message is for its owner and says where. */
export class BadInput extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BadInput';
  }
}

/** What ends the loading of a file when its user has had enough. */
export function interrupted(): BadInput {
  return new BadInput('Interrupted: nothing was stored');
}
