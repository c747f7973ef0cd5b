// The default rule for noise events. Without a schema, because the page imports it.

export const DEFAULT_ABOVE_BACKGROUND_DB = 10;
