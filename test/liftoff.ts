/**
 * Compiles WebAssembly once, without optimising it: a process with the embedded database takes half the processor time
 * to start and end. Tests ask each one little.
 */
export const LIFTOFF = '--liftoff-only';
