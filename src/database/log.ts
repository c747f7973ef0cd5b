// The log interface for code below the command line.
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  /** Long details, such as SQL to run. */
  debug?(fields: object, message: string): void;
}

export const NO_LOG: Log = { info() {}, warn() {} };

/** @returns a log that adds the station to each line */
export const logOf = (log: Log, station: string): Log => ({
  info: (fields, message) => log.info({ station, ...fields }, `${station}: ${message}`),
  warn: (fields, message) => log.warn({ station, ...fields }, `${station}: ${message}`),
  debug: (fields, message) => log.debug?.({ station, ...fields }, `${station}: ${message}`),
});
