// The settings of a session, the same on every connection of a kind.

/** Make a time, a level or a flag read the same as text on every database. */
export const TEXT_SETTINGS = "set timezone = 'UTC'; set datestyle = 'ISO'; set extra_float_digits = 1";

/**
 * For connections that answer questions. `jit`: compiling a composed statement takes a hundred times longer than
 * running it. Workers: TimescaleDB adds up in vectors only where none shares the scan. Plans: a generic one would
 * include every chunk.
 */
export const QUERY_SETTINGS = `${TEXT_SETTINGS}; set jit = off; set max_parallel_workers_per_gather = 0;
  set plan_cache_mode = force_custom_plan`;
