// The fault that the user of the recorder can mend: input that cannot be measured or stored.

/** A recording or a CSV file is at fault; the message is for its owner and says where. */
export class BadInput extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BadInput';
  }
}
