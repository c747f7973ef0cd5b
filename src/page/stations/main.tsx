// Starts the page with the list of all stations.
import '../style.css';
import { useEffect } from 'react';
import { isServiceError } from '../../client/service-error.ts';
import { TableHead } from '../panels/data-table.tsx';
import { KeyForm, Trouble } from '../panels/notices.tsx';
import { PageMenu } from '../panels/page-menu.tsx';
import { useClock } from '../state/live-level.ts';
import { startPage } from '../state/start-page.tsx';
import { texts } from '../texts/texts.ts';
import { StationRow } from './station-row.tsx';
import { useStations, useStationsNow } from './use-stations.ts';

const { stations: words } = texts;

/** The list of all stations. Stations that need attention come first. */
function StationList() {
  const { data, failureReason } = useStations();
  const { rows: stations, isLost } = useStationsNow(data?.stations ?? []);
  const now = useClock(60_000);
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
          <section className="panel" aria-label={words.all}>
            <table className="stations">
              <TableHead columns={words.columns} />
              <tbody>
                {stations.map((station) => (
                  <StationRow key={station.name} station={station} now={now} />
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

startPage(<StationList />);
