// The limits of the tRPC transport. Server and client must agree on them.

/** The most calls in one tRPC request. The server refuses a larger batch as a whole. */
export const MAX_BATCH_SIZE = 20;

/** The longest URL of a tRPC request. The client splits a longer batch. */
export const MAX_URL_LENGTH = 8000;
