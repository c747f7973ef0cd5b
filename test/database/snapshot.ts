// Reads everything in a database's catalog that a migration could change, to compare before and after.

export const SNAPSHOT = `
  select 'relation' as what, c.oid::regclass::text as name, c.relkind::text || c.relfilenode as detail
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where nspname !~ '^(pg_catalog|pg_toast|pg_temp|information_schema|_timescaledb_(catalog|internal|config|cache))'
  union all
  select 'column', attrelid::regclass::text || '.' || attname,
      concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, atthasdef)
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace::regnamespace::text in ('public', 'drizzle') and attnum > 0
  union all
  select 'constraint', conrelid::regclass::text || '.' || conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace::regnamespace::text in ('public', 'drizzle')
  union all select 'schema', nspname, '' from pg_namespace where nspname !~ '^pg_'
  union all select 'extension', extname, extversion from pg_extension
  order by 1, 2, 3`;
