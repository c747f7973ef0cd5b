// Compares the types of the client exactly. Compiling is the test: against the source in `npm run types`, and against
// the packed declarations in package.test.ts.
import type {
  AudioMetricsClient,
  ClientOptions,
  createClient,
  Follower,
  follow,
  Inputs,
  isServiceError,
  Outputs,
  Point,
} from '../../src/client/index.ts';

/** True only for identical types: `any` equals nothing but itself. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** An input without `void`: `calls` tests which inputs may be left out. */
type Given<Input> = Exclude<Input, void>;
type All<Facts extends readonly true[]> = Facts;

type StoredPoint = {
  time: string;
  rms_db: number | null;
  frequency_hz: number | null;
  is_silence: boolean;
};
type Levels = 'stored' | 'absolute';
type Period = '10s' | '1m' | '1h' | '6h' | '24h' | '7d' | '30d';

/** Covers a few operations; package.test.ts compares all of them with the router. */
export type SomeAreExact = All<
  [
    Equal<
      Given<Inputs['audio']['latest']>,
      { limit?: number | undefined; levels?: Levels | undefined; ahead?: 'omit' | 'include' | undefined }
    >,
    Equal<
      Given<Inputs['stats']['summary']>,
      {
        period?: Period | undefined;
        from?: string | undefined;
        to?: string | undefined;
        time_zone?: string | undefined;
        levels?: Levels | undefined;
        exclusions?: 'apply' | 'ignore' | undefined;
      }
    >,
    Equal<Given<Inputs['health']['live']>, Record<string, never>>,
    Equal<Point, StoredPoint>,
    Equal<Outputs['audio']['range']['points'], StoredPoint[]>,
    Equal<Outputs['audio']['range']['next_cursor'], string | null>,
    Equal<Pick<Outputs['audio']['range'], 'history_until'>, { history_until?: string }>,
    Equal<Outputs['stats']['frequencies']['buckets'][number]['counts'], number[]>,
    Equal<Inputs['stats']['days']['by'], 'day' | 'month' | 'year' | undefined>,
    Equal<Outputs['stats']['limits']['limits'][number]['minute_count'], number | null>,
    Equal<Outputs['export']['csv'], AsyncIterable<string>>,
    Equal<Outputs['service']['info']['layout'], 'hypertable' | 'plain'>,
    Equal<Outputs['health']['ready'], { status: 'ok' }>,
  ]
>;

type Narrowed = typeof isServiceError extends (error: unknown) => error is infer E ? E : never;
type ErrorData = NonNullable<Extract<Narrowed, { data: unknown }>['data']>;

export type TheRestIsExact = All<
  [
    Equal<string extends keyof Inputs ? true : false, false>,
    Equal<Parameters<Follower['onPoints']>, [points: StoredPoint[]]>,
    Equal<Parameters<typeof follow>[0], AudioMetricsClient>,
    Equal<Parameters<typeof follow>[1], { readonly from?: string; readonly levels?: 'stored' | 'absolute' }>,
    Equal<ReturnType<typeof createClient>, AudioMetricsClient>,
    Equal<Parameters<typeof createClient>[0], string | URL>,
    Equal<Parameters<typeof createClient>[1], ClientOptions | undefined>,
    Equal<ClientOptions['headers'], Record<string, string> | undefined>,
    Equal<Narrowed['message'], string>,
    Equal<ErrorData['errors'], readonly { parameter: string; detail: string }[] | undefined>,
    Equal<ErrorData['httpStatus'], number>,
  ]
>;

/** The compiler accepts each call, or refuses it for the given reason. */
export async function calls(client: AudioMetricsClient): Promise<void> {
  await client.audio.latest.query();
  await client.stats.summary.query();
  await client.events.loud.query();
  await client.events.loud.query({ from: 'now-1h' });
  await client.service.info.query();
  await client.health.live.query();
  await client.health.ready.query();
  client.audio.live.subscribe(
    {},
    {
      onData: ({ id, data }) => {
        const found: [string, Point[], boolean, string | null] = [
          id,
          data.points,
          data.stale,
          data.restart_from,
        ];
        return found;
      },
    },
  );
  // @ts-expect-error `from` and `to` are required
  await client.audio.range.query();
  // @ts-expect-error `to` is required
  await client.audio.range.query({ from: 'now-1h' });
  // @ts-expect-error `from` is required
  await client.export.csv.query({ to: 'now' });
  // @ts-expect-error not a period
  await client.stats.summary.query({ period: '2h' });
  // @ts-expect-error times are strings
  await client.audio.range.query({ from: new Date(), to: 'now' });
  // @ts-expect-error numbers are numbers
  await client.audio.latest.query({ limit: '5' });
  // @ts-expect-error not an operation
  await client.audio.delete.query();
  // @ts-expect-error every operation only reads
  await client.audio.latest.mutate();
}
