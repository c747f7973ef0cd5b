/**
 * Compiles WebAssembly without optimising it, which halves the processor time that a process with the embedded database
 * takes to start and end. Tests run few queries in each process.
 */
export const LIFTOFF = '--liftoff-only';
