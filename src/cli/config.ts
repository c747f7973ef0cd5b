// Reads the configuration from environment variables. A pure function that reports all bad variables at once.
import { z } from 'zod';
import { flagOf } from '../commands/command-options.ts';
import { isVisible } from '../contract/printable.ts';
import type { ChangedSettings } from '../database/station-schemas.ts';
import { AppError } from '../errors.ts';
import { FORMER_VARIABLES, intervalOr, numberOf, OwnVariables, readGiven } from './station-settings.ts';

const milliseconds = (fallback: number) => whole(1, 86_400_000, fallback);

const whole = (min: number, max: number, fallback: number) => wholeIfSet(min, max).prefault(String(fallback));

const wholeIfSet = (min: number, max: number) =>
  numberOf(/^\d{1,9}$/, min, max, `must be a whole number from ${min} to ${max}`);

const PostgresUrl = z.string().refine(isPostgresUrl, {
  error:
    'must be a URL such as postgres://user:password@host:5432/database. If the password has characters such as @ / # : %, leave it out and set PGPASSWORD. Write @ in a parameter as %40',
});

/** Refuses a URL if part of its password was read as a host, a port or a database. Messages never quote the text. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { pathname, search } = new URL(text);
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25')); // pg reads a lone % as itself
  } catch {
    return false;
  }
  return !text.includes('#') && !`${pathname}${search}`.includes('@');
}

const List = z.string().transform((text) => text.split(',').map((each) => each.trim()));

const Origins = List.refine((origins) => origins.every((origin) => origin === '*' || isOrigin(origin)), {
  error: 'must be * or origins such as https://example.com, separated by commas',
});

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

const HostNames = List.refine((names) => names.every((name) => HOST_NAME.test(name)), {
  error: 'must be host names without ports, separated by commas, such as audio.example.com',
});

const HOST_NAME = /^(?=.{1,253}$)[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})*$/i;

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const Proxies = List.refine((addresses) => addresses.every((each) => Network.safeParse(each).success), {
  error: 'must be addresses of proxies separated by commas, such as 127.0.0.1 or 10.0.0.0/8,::1',
});

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const Environment = z.object({
  DATABASE_URL: PostgresUrl.optional(),
  MIGRATION_DATABASE_URL: PostgresUrl.optional(),
  DATA_DIR: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535, 3000),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be the URL of a collector, such as http://127.0.0.1:4318' })
    .optional(),
  METRICS_PORT: wholeIfSet(0, 65_535).optional(),
  ...OwnVariables.omit({ RAW_RETENTION: true, HISTORY_RETENTION: true }).shape,
  LOG_LEVEL: z.enum(levels, { error: `must be one of ${levels.join(', ')}` }).default('info'),
  ALLOWED_HOSTS: HostNames.optional(),
  CORS_ORIGINS: Origins.optional(),
  TRUST_PROXY: Proxies.optional(),
  QUERY_TIMEOUT_MS: milliseconds(5000),
  EXPORT_TIMEOUT_MS: milliseconds(1_800_000),
  POOL_SIZE: whole(1, 1000, 10),
  MAX_STREAMS: whole(0, 100_000, 1000),
  RATE_LIMIT: wholeIfSet(1, 1_000_000).optional(),
  SHUTDOWN_DELAY_MS: whole(0, 600_000, 0),
  SHUTDOWN_TIMEOUT_MS: milliseconds(10_000),
  SHARED_CACHE_SECONDS: wholeIfSet(1, 3600).optional(),
  API_KEYS_FILE: z.string().optional(),
  API_KEY: z.string().optional(),
  /** URLs of receivers; the commands that notify check them. */
  NOTIFY: z
    .string()
    .transform((text) => text.trim().split(/\s+/))
    .default([]),
  WEBHOOK_SECRET: z.string().optional(),
  NTFY_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, {
      error: 'must be an ntfy token: at most 200 printable characters, no spaces',
    })
    .optional(),
  READER_ROLE: z.string().max(63).optional(),
  COLUMNSTORE_AFTER: intervalOr('at once', "'2 days'").optional(),
  RAW_RETENTION: OwnVariables.shape.RAW_RETENTION,
  HISTORY_RETENTION: OwnVariables.shape.HISTORY_RETENTION,
  AGGREGATE_RETENTION: OwnVariables.shape.RAW_RETENTION,
});

const Consistent = Environment.refine((given) => !(given.API_KEYS_FILE && given.SHARED_CACHE_SECONDS), {
  path: ['SHARED_CACHE_SECONDS'],
  error: 'must not be set with API_KEYS_FILE: a shared cache would answer clients without a key',
  when: areValid('API_KEYS_FILE', 'SHARED_CACHE_SECONDS'),
}).refine(({ PORT, METRICS_PORT }) => PORT === 0 || METRICS_PORT !== PORT, {
  path: ['METRICS_PORT'],
  error: 'must differ from PORT',
  when: areValid('PORT', 'METRICS_PORT'),
});

/** Lets a rule run if these variables are valid, even if others are not. */
function areValid(...names: readonly string[]) {
  return ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path = [] }) => names.includes(String(path[0])));
}

/** Every variable, in the order of the schema. docs/reference/configuration.md lists the same. */
export const VARIABLES: readonly string[] = Environment.keyof().options;

const RETIRED: Readonly<Record<string, string>> = {
  HEAVY_PLACES:
    'the processors decide how many heavy requests run at a time; to run more, start more processes',
  EXPORT_PLACES: 'four exports run at a time',
  EXPORTS_PER_CALLER: 'one caller may run two exports at a time',
  STREAMS_PER_CALLER: 'one caller may have 100 streams',
  MAX_WAITING: 'up to 100 heavy requests wait, and as many exports',
  MAX_WAIT_MS: 'a request waits at most 40 s for a slot',
  MIN_READ_RATE: 'a client reads an export at 16 KiB a second or more while others wait',
  MAX_EVENT_LOOP_DELAY_MS: 'the service refuses requests if its event loop is delayed by a second',
  SETTLED_AFTER: 'shared caches keep an answer longer if its interval ended at least 10 minutes ago',
  POOL_WAIT_MS: 'a query waits at most a second for a connection',
  MAX_MEMORY_MB: 'the answers under way share 64 MB',
};

export function retiredVariables(environment: Variables): string[] {
  const former = Array.from(FORMER_VARIABLES, ([name, option]): [string, string] => [
    name,
    `it is a setting of the default station, which \`npm run station -- set default ${flagOf(option)} ...\` changes`,
  ]);
  return [...Object.entries(RETIRED), ...former]
    .filter(([name]) => environment[name]?.trim())
    .map(([name, instead]) => `${name} is no longer read: ${instead}`);
}

export interface Config extends z.output<typeof Environment> {
  /** The first settings of the default station, from variables of earlier versions. */
  readonly former: ChangedSettings;
}

/** The folder of the embedded database, the spools and the calibrations. */
export const dataDirOf = ({ DATA_DIR: dataDir = './data' }: Config) => dataDir;

/** @throws AppError with the message `otherwise` if no server is configured */
export function ownerUrl(config: Config, otherwise: string): string {
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  if (url === undefined) throw new AppError('BAD_REQUEST', otherwise);
  return url;
}

type Variables = Readonly<Record<string, string | undefined>>;

export class ConfigurationError extends Error {}

/** An empty or blank variable counts as not set. @throws ConfigurationError with each bad one and what is allowed */
export function readConfig(environment: Variables): Config {
  const present = Object.entries(environment).filter(([, value = '']) => isVisible(value));
  const texts = Object.fromEntries(present);
  const { data, error } = Consistent.safeParse(texts);
  const former = () => readGiven((_, name) => (FORMER_VARIABLES.has(name) ? texts[name] : undefined));
  if (data) return { ...data, former: former() };
  const lines = error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
  throw new ConfigurationError(`The configuration is not valid:\n${lines.join('\n')}`);
}
