// What the parts below the command line log to.
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
