// Writes a name into SQL: a schema's, a role's or a database's. Keywords such as `left` are names too.
import pg from 'pg';

export const identifier = (name: string) => pg.escapeIdentifier(name);
