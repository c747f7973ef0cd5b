// Reads the configuration from environment variables. A pure function that reports all bad variables at once.
import { z } from 'zod';
import { Assess, JUDGEMENT, MAX_UNCERTAINTY_DB } from '../contract/judgement.ts';
import { LIMITS_ALLOWED, parseLimits } from '../contract/limits.ts';
import { isPrintable } from '../contract/printable.ts';
import { isTimeZone } from '../contract/time-zone-clock.ts';
import { AppError } from '../errors.ts';

const milliseconds = (fallback: number) => whole(1, 86_400_000, fallback);

const whole = (min: number, max: number, fallback: number) => wholeIfSet(min, max).prefault(String(fallback));

const wholeIfSet = (min: number, max: number) =>
  numberOf(/^\d{1,9}$/, min, max, `must be a whole number from ${min} to ${max}`);

function numberOf(form: RegExp, min: number, max: number, error: string) {
  const inRange = z.number().min(min, { error }).max(max, { error });
  return z.string().regex(form, { error }).transform(Number).pipe(inRange);
}

/** A number from 0 to `max`. */
function decimal(max: number, unit: string, example: string) {
  return numberOf(
    /^\d{1,4}(\.\d{1,6})?$/,
    0,
    max,
    `must be a plain decimal number of ${unit} from 0 to ${max}, such as ${example}`,
  );
}

function textUpTo(most: number) {
  const error = `must have at most ${most} characters, and no control characters`;
  return z.string().trim().max(most, { error }).refine(isPrintable, { error }).nullable().default(null);
}

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

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

const HostNames = List.refine((names) => names.every((name) => HOST_NAME.test(name)), {
  error: 'must be host names without ports, separated by commas, such as audio.example.com',
});

const HOST_NAME = /^(?=.{1,253}$)[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})*$/i;

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const Proxies = List.refine((addresses) => addresses.every((each) => Network.safeParse(each).success), {
  error: 'must be addresses of proxies separated by commas, such as 127.0.0.1 or 10.0.0.0/8,::1',
});

const UNIT =
  '(us|usecs?|microseconds?|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mons?|months?|y|yrs?|years?)';
/** Interval text as PostgreSQL reads it: `35 days`, `1 year 6 months`, `35 days 12:00`, `P35D`. */
const INTERVAL = new RegExp(
  `^(?=.*\\d)(\\d+(\\.\\d+)?\\s*${UNIT}\\b\\s*)*(\\d+:[0-5]\\d(:[0-5]\\d)?)?$|^P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$(?<!P)`,
  'i',
);
const intervalOr = (word: string, examples: string) =>
  z
    .string()
    .transform((text) => text.trim())
    .refine((text) => text === word || INTERVAL.test(text), {
      error: `must be a PostgreSQL interval such as ${examples}, or ${word}`,
    });

const Retention = intervalOr('off', "'35 days' or '1 year 6 months'");

/** By default the zone of the machine. */
const TimeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Vienna or UTC' })
  .prefault(Intl.DateTimeFormat().resolvedOptions().timeZone);

const Limits = z
  .string()
  .transform((text, context) => {
    const limits = parseLimits(text);
    if (limits) return limits;
    context.addIssue({ code: 'custom', message: LIMITS_ALLOWED });
    return z.NEVER;
  })
  .default([]);

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
  /** The sound pressure level at full scale (0 dBFS). */
  CALIBRATION_OFFSET_DB: numberOf(
    /^-?\d{1,3}(\.\d{1,6})?$/,
    -200,
    300,
    'must be a plain decimal number of dB from -200 to 300, such as 120.5',
  )
    .nullable()
    .default(null),
  /** The name of the microphone's location. */
  PLACE_NAME: textUpTo(100),
  TIME_ZONE: TimeZone,
  LIMITS: Limits,
  ASSESS: Assess.default(JUDGEMENT.assess),
  UNCERTAINTY_DB: decimal(MAX_UNCERTAINTY_DB, 'dB', '2.5').prefault(String(JUDGEMENT.uncertaintyDb)),
  MIN_MEASURED_PERCENT: decimal(100, 'percent', '90').prefault(String(JUDGEMENT.minMeasuredPercent)),
  MICROPHONE_POSITION: textUpTo(200),
  MICROPHONE_HEIGHT_M: decimal(1000, 'metres', '4').nullable().default(null),
  FACADE_DISTANCE_M: decimal(1000, 'metres', '0.5').nullable().default(null),
  MICROPHONE: textUpTo(200),
  SOUND_CARD: textUpTo(200),
  CALIBRATOR: textUpTo(200),
  WINDSCREEN: textUpTo(200),
  OPERATOR: textUpTo(200),
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
  RAW_RETENTION: Retention.optional(),
  AGGREGATE_RETENTION: Retention.optional(),
});

/** The variables that are also settings of each station. */
export const StationVariables = Environment.pick({
  PLACE_NAME: true,
  TIME_ZONE: true,
  LIMITS: true,
  CALIBRATION_OFFSET_DB: true,
  ASSESS: true,
  UNCERTAINTY_DB: true,
  MIN_MEASURED_PERCENT: true,
  MICROPHONE_POSITION: true,
  MICROPHONE_HEIGHT_M: true,
  FACADE_DISTANCE_M: true,
  MICROPHONE: true,
  SOUND_CARD: true,
  CALIBRATOR: true,
  WINDSCREEN: true,
  OPERATOR: true,
  RAW_RETENTION: true,
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

/** Variables of earlier versions, and what holds instead. */
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

/** A warning for each variable that is set, but no longer read. */
export function retiredVariables(environment: Variables): string[] {
  return Object.entries(RETIRED)
    .filter(([name]) => environment[name]?.trim())
    .map(([name, instead]) => `${name} is no longer read: ${instead}`);
}

/** The configuration: the variables, parsed. */
export type Config = z.output<typeof Environment>;

/** The folder of the embedded database, the spools and the calibrations. */
export const dataDirOf = ({ DATA_DIR: dataDir = './data' }: Config) => dataDir;

/** @throws AppError with the message `otherwise` if no server is configured */
export function ownerUrl(config: Config, otherwise: string): string {
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  if (url === undefined) throw new AppError('BAD_REQUEST', otherwise);
  return url;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** An environment variable is not valid. */
export class ConfigurationError extends Error {}

/**
 * Reads the configuration. An empty or blank variable counts as not set.
 *
 * @throws ConfigurationError with every bad variable and what is allowed
 */
export function readConfig(environment: Variables): Config {
  const present = Object.entries(environment).filter(([, value]) => value?.trim());
  const { data, error } = Consistent.safeParse(Object.fromEntries(present));
  if (data) return data;
  const lines = error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
  throw new ConfigurationError(`The configuration is not valid:\n${lines.join('\n')}`);
}
