// The page: what it shows before the service is known, its head and its foot.
import { isServiceError } from '../client/service-error.ts';
import { Dashboard } from './dashboard.tsx';
import { Empty, KeyForm, RecorderDown, StatisticsBehind, Trouble, WrongAddress } from './panels/notices.tsx';
import { ThemeSwitch } from './panels/theme-switch.tsx';
import { ZoneChoice } from './panels/zone-choice.tsx';
import { isAskedAgain, tookTooLong } from './state/answer-faults.ts';
import { useInfo } from './state/api-queries.ts';
import { useFailures } from './state/failures.ts';
import { useView } from './state/view-in-address.ts';

export function App() {
  const { view, wrong } = useView();
  const { data: info } = useInfo();
  const failures = useFailures();
  const needsKey = failures.some((error) => isServiceError(error) && error.data.httpStatus === 401);
  const trouble = failures.find(isAskedAgain) ?? failures.find(tookTooLong);
  return (
    <>
      <a className="skip" href="#level">
        Skip to the chart
      </a>
      <header className="top">
        <h1>{info?.place_name ?? 'Audio Metrics'}</h1>
        <a href="manual/">Manual</a>
        <a href="docs/">API reference</a>
        <ThemeSwitch />
      </header>
      <main>
        {wrong.length > 0 && <WrongAddress names={wrong} />}
        {needsKey ? <KeyForm /> : trouble !== undefined && <Trouble error={trouble} />}
        {info?.recorder?.running === false && <RecorderDown recorder={info.recorder} />}
        {info?.rollup_refresh && info.rollup_refresh.state !== 'current' && (
          <StatisticsBehind refresh={info.rollup_refresh} />
        )}
        {info?.newest === null && <Empty />}
        {info ? <Dashboard view={view} info={info} /> : <div className="waiting" />}
      </main>
      {info && (
        <footer className="soft">
          <ZoneChoice at={Date.now()} /> Audio Metrics {info.version}, {info.database}.
        </footer>
      )}
    </>
  );
}
