// Notices: no points, a service that fails, a wrong address, and the form for an API key.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { countText, timeText } from '../locale-format.ts';
import { sentenceOf, tookTooLong } from '../state/answer-faults.ts';
import { useApiClient } from '../state/api-client.tsx';
import { useIsSeen, useLiveLevel } from '../state/live-level.ts';
import { recordCommand } from '../state/record-command.ts';
import { followsNow, showInterval } from '../state/shown-interval.ts';
import { changeView, currentView } from '../state/view-in-address.ts';

type Info = Outputs['service']['info'];
type LevelScale = Outputs['stats']['summary']['scale'];

/** What is shown may be old. The page asks again by itself, but not for what took too long: some of that has no panel. */
export function Trouble({ error }: { error: unknown }) {
  const queries = useQueryClient();
  const askAgain = () =>
    queries.refetchQueries({ type: 'active', predicate: ({ state }) => tookTooLong(state.error) });
  return (
    <p className="notice warning" role="alert">
      {sentenceOf(error)}{' '}
      {tookTooLong(error) ? (
        <button type="button" onClick={askAgain}>
          Ask for all again
        </button>
      ) : (
        'This page asks again by itself.'
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
      <p role="alert">
        {isWrong
          ? 'A key has letters, digits and - . _ ~ + / only.'
          : apiKey === undefined
            ? 'This service asks for a key.'
            : 'The service does not know this key.'}{' '}
        It is kept until you close this tab.
      </p>
      <label>
        Key <input name="key" type="password" autoComplete="off" required />
      </label>
      <button type="submit">Use it</button>
    </form>
  );
}

/** For a service without points: the first that streams in brings the page, with the last minutes, as no more is there. */
export function Empty() {
  const queries = useQueryClient();
  const { point } = useLiveLevel(useIsSeen());
  const hasPoint = point !== null;
  useEffect(() => {
    if (!hasPoint) return;
    if (followsNow(currentView().view)) changeView({ from: 'now-15m', to: 'now' }, { step: false });
    void queries.invalidateQueries();
  }, [hasPoint, queries]);
  return (
    <p className="notice">
      There are no points yet. Start a recorder, such as <code>{recordCommand(location.pathname)}</code>; this
      page shows points as they come.
    </p>
  );
}

export function RecorderDown({ recorder }: { recorder: NonNullable<Info['recorder']> }) {
  return (
    <p className="notice warning" role="status">
      The recorder is down since {timeText(Date.parse(recorder.since))}
      {recorder.last_exit && ` (${recorder.last_exit.reason})`}. The service starts it again by itself.
    </p>
  );
}

/** After a large import, or while nothing refreshes the rollups. */
export function StatisticsBehind({ refresh }: { refresh: NonNullable<Info['rollup_refresh']> }) {
  const { state, minutes_waiting: minutes } = refresh;
  const points = minutes === null ? 'all points' : `${countText(minutes)} minutes of points`;
  return (
    <p className="soft" role="status">
      {state === 'stalled'
        ? `Statistics wait to be counted for ${points}, and the log of the service says why.`
        : `Statistics are being counted for ${points}.`}{' '}
      Figures are exact meanwhile, and take longer.
    </p>
  );
}

/** For an interval without points, when there are points elsewhere. */
export function NoPoints({ of, newest }: { of: { from: string; to: string }; newest: string }) {
  const [from, to, end] = [Date.parse(of.from), Date.parse(of.to), Date.parse(newest) + 1];
  const showNewest = () => showInterval({ from: end - (to - from), to: end });
  return (
    <p className="notice" role="status">
      There are no points from {timeText(from)} to {timeText(to)}. The newest is of {timeText(newest)}.{' '}
      <button type="button" onClick={showNewest}>
        Show the newest
      </button>
    </p>
  );
}

/** For an interval whose points were not all recorded alike. */
export function SeveralPeriods({ scale: { unit, recording_period_count } }: { scale: LevelScale }) {
  return (
    <p className="notice warning" role="status">
      This interval has {recording_period_count} periods of points that were recorded differently.{' '}
      {unit === null &&
        'Their levels are not on one scale: they are shown as they are stored, and figures over all of them mean little.'}
    </p>
  );
}

export function WrongAddress({ names }: { names: readonly string[] }) {
  return (
    <p className="notice warning" role="alert">
      Wrong in the address: {names.join(', ')}. The default stands in its place.{' '}
      <button type="button" onClick={() => changeView({}, { step: false })}>
        Correct the address
      </button>
    </p>
  );
}
