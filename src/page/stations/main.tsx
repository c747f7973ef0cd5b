// Starts the page with the list of all stations.
import '../style.css';
import { useEffect } from 'react';
import { isServiceError } from '../../client/service-error.ts';
import { listText } from '../locale-format.ts';
import { TableHead } from '../panels/data-table.tsx';
import { KeyForm, Trouble } from '../panels/notices.tsx';
import { PageMenu } from '../panels/page-menu.tsx';
import { startPage } from '../state/start-page.tsx';
import { texts } from '../texts/texts.ts';
import { lastPointText, StationRow } from './station-row.tsx';
import { type StationEntry, useStations, useStationsNow } from './use-stations.ts';

const { stations: words } = texts;

function StationList() {
  const { data, failureReason } = useStations();
  const { rows: stations, isLost } = useStationsNow(data?.stations ?? []);
  const needsKey = isServiceError(failureReason) && failureReason.data.httpStatus === 401;
  useEffect(() => {
    document.title = words.title;
  }, []);
  return (
    <>
      <header className="top">
        <h1>{words.title}</h1>
        <div>
          <PageMenu info={undefined} />
        </div>
      </header>
      <main>
        {data?.stations.length === 0 && <p className="notice">{words.none}</p>}
        {stations.length > 0 && (
          <section className="panel" aria-labelledby="headline">
            <h2 id="headline">{headlineOf(stations)}</h2>
            <table className="stations">
              <TableHead columns={words.columns} />
              <tbody>
                {stations.map((station) => (
                  <StationRow key={station.name} station={station} />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </main>
      <aside className="notices">
        {needsKey ? <KeyForm /> : (failureReason || isLost) && <Trouble error={failureReason} />}
      </aside>
    </>
  );
}

/** For example `2 of 4 over last night, 1 silent since 00:00`. */
function headlineOf(stations: readonly StationEntry[]): string {
  const nights = stations.flatMap(({ night }) => night ?? []);
  const silent = stations.filter(
    ({ state, ahead_until }) => (state === 'offline' && !ahead_until) || state === 'silent_recorder',
  );
  const since = silent.length === 1 ? silent.map(lastPointText).join() : '';
  return listText([
    nights.length > 0 ? words.over(nights.filter(({ state }) => state === 'over').length, nights.length) : '',
    silent.length > 0 ? words.silent(silent.length, since && texts.since(since)) : '',
  ]);
}

startPage(<StationList />);
