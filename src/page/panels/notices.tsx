// Notices: no points, a failing service, a wrong address, and the form for an API key.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { countText, shareText, timeText } from '../locale-format.ts';
import { faultOf, isRetried, tookTooLong } from '../state/answer-faults.ts';
import { useApiClient } from '../state/api-client.tsx';
import { useIsSeen, useLiveLevel } from '../state/live-level.ts';
import { stationHere } from '../state/service-url.ts';
import { showInterval } from '../state/shown-interval.ts';
import { type Info, pointsSinceIn } from '../state/site.ts';
import { changeView } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';

const { notices: words } = texts;

type LevelScale = Outputs['stats']['summary']['scale'];

/** Warns of old data. The page retries by itself. After a timeout, a button retries what timed out. */
export function Trouble({ error }: { error: unknown }) {
  const queries = useQueryClient();
  const retry = () =>
    queries.refetchQueries({ type: 'active', predicate: ({ state }) => tookTooLong(state.error) });
  return (
    <p className="notice warning" role="alert">
      {texts.faults[faultOf(error)]}{' '}
      {tookTooLong(error) ? (
        <button type="button" onClick={retry}>
          {words.retryAll}
        </button>
      ) : (
        isRetried(error) && words.byItself
      )}
    </p>
  );
}

/** A bearer token (RFC 6750, 2.1). */
const KEY = /^[\w.~+/-]{1,512}=*$/;

export function KeyForm() {
  const { apiKey, setApiKey } = useApiClient();
  const [isWrong, setWrong] = useState(false);
  const use = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key')).trim();
    if (KEY.test(key)) setApiKey(key);
    else setWrong(true);
  };
  return (
    <form className="notice" onSubmit={use}>
      <p role="status">
        {isWrong ? words.keyWrong : apiKey === undefined ? words.keyNeeded : words.keyUnknown} {words.keyKept}
      </p>
      <label>
        {words.key} <input name="key" type="password" autoComplete="off" required />
      </label>
      <button type="submit">{words.useKey}</button>
    </form>
  );
}

/** For a service without points. The page appears with the first streamed point. */
export function Empty() {
  const queries = useQueryClient();
  const { point } = useLiveLevel(useIsSeen());
  const hasPoint = point !== null;
  useEffect(() => {
    if (hasPoint) void queries.invalidateQueries();
  }, [hasPoint, queries]);
  return (
    <p className="notice">
      {words.empty} <code>{commandToRecord(location.pathname)}</code>. {words.emptyThen}
    </p>
  );
}

export function RecorderDown({ recorder }: { recorder: NonNullable<Info['recorder']> }) {
  return (
    <p className="notice warning" role="status">
      {words.down(timeText(Date.parse(recorder.since)), recorder.last_exit?.reason ?? '')}
    </p>
  );
}

/** For incomplete statistics, after a large import or while no process refreshes the rollups. */
export function StatisticsBehind({ refresh }: { refresh: NonNullable<Info['rollup_refresh']> }) {
  const { state, minutes_waiting: minutes } = refresh;
  const points = minutes === null ? words.allPoints : words.minutesOf(countText(minutes));
  return (
    <p className="behind soft" role="status">
      {state === 'stalled' ? words.stalled(points) : words.counting(points)} {words.exact}
    </p>
  );
}

/** For an interval without points, if the station has points elsewhere. */
export function NoPoints({ of, newest }: { of: { from: string; to: string }; newest: string }) {
  const [from, to, end] = [Date.parse(of.from), Date.parse(of.to), Date.parse(newest) + 1];
  const showNewest = () => showInterval({ from: end - (to - from), to: end });
  return (
    <p className="notice" role="status">
      {words.noPoints(timeText(from), timeText(to), timeText(newest))}{' '}
      <button type="button" onClick={showNewest}>
        {words.showNewest}
      </button>
    </p>
  );
}

/** For an interval whose points were not all recorded the same way. */
export function SeveralPeriods({ scale: { unit, recording_period_count } }: { scale: LevelScale }) {
  return (
    <p className="notice warning" role="status">
      {words.periods(recording_period_count)} {unit === null && words.mixed}
    </p>
  );
}

/** For an interval that reaches into history. */
export function PointsEnd({ of }: { of: Parameters<typeof pointsSinceIn>[0] }) {
  const since = pointsSinceIn(of);
  return (
    since && (
      <p className="hint" role="status">
        {words.pointsEnd(timeText(since, 'minute'))}
      </p>
    )
  );
}

/** For sound that was clipped before it was measured. */
export function Overloaded({ percent }: { percent: number }) {
  return (
    <p role="status">
      <strong className="over">▲ {words.overloaded(shareText(percent))}</strong>
    </p>
  );
}

export function WrongAddress({ names }: { names: readonly string[] }) {
  return (
    <p className="notice warning" role="alert">
      {words.wrong(names.join(', '))}{' '}
      <button type="button" onClick={() => changeView({}, { step: false })}>
        {words.correct}
      </button>
    </p>
  );
}

/** @param path the path of the page: a station's ends with `/stations/NAME/`, whatever prefix a proxy adds */
export function commandToRecord(path: string): string {
  const name = stationHere(path);
  const station = name === undefined || name === 'default' ? '' : ` --station ${name}`;
  return `arecord -f S16_LE -r 48000 -t raw | npm run record -- - --rate 48000 --format s16le${station}`;
}
