// Loads Drizzle as CommonJS: for ES modules, Node.js would parse Drizzle's 180 kB package.json for each of 112 files.
import { createRequire } from 'node:module';

export type { SQL, SQLWrapper } from 'drizzle-orm';
export type { PgColumn, PgColumnBuilderBase, PgTableFn } from 'drizzle-orm/pg-core';

const require = createRequire(import.meta.url);

export const {
  and,
  asc,
  desc,
  DrizzleQueryError,
  eq,
  getTableColumns,
  getTableName,
  gt,
  inArray,
  is,
  lt,
  lte,
  max,
  min,
  Placeholder,
  sql,
}: typeof import('drizzle-orm') = require('drizzle-orm');

export const pgCore: typeof import('drizzle-orm/pg-core') = require('drizzle-orm/pg-core');

export const pgProxy: typeof import('drizzle-orm/pg-proxy') = require('drizzle-orm/pg-proxy');

export const { PgDialect, QueryBuilder } = pgCore;

export const { readMigrationFiles }: typeof import('drizzle-orm/migrator') = require('drizzle-orm/migrator');
