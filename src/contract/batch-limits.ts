// The limits of the tRPC transport, which server and client must agree on.

/** How many calls one tRPC request may carry; the server refuses a larger batch whole. */
export const MAX_BATCH_SIZE = 20;

/** How long the address of a tRPC request may grow; the client splits a longer batch. */
export const MAX_URL_LENGTH = 8000;
