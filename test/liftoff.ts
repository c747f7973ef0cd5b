/**
 * Compiles WebAssembly once, without optimising it: a process with the embedded database then takes half the processor
 * time to start and end. Tests run few queries in each process.
 */
export const LIFTOFF = '--liftoff-only';
