// What the printed page has besides its panels: a heading with the verdicts, and how it was measured at the end.
import type { Outputs } from '../../client/index.ts';
import {
  intervalText,
  lengthText,
  levelText,
  percentText,
  summaryLeqText,
  timeText,
  zoneName,
  zonesText,
} from '../locale-format.ts';
import { useFastMaxima, withMaxima } from '../state/fast-station.ts';
import { pageTitle } from '../state/service-url.ts';
import { dataOn, type Shown, useLimits, useQuality, useSummary } from '../state/shown.ts';
import { stillAddress } from '../state/shown-interval.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import type { AgainstLimits } from '../verdict-text.ts';
import { verdictLines } from './limit-verdict.ts';
import { methodOf } from './report-method.ts';

const { report: words } = texts;

export function ReportHead({ shown }: { shown: Shown }) {
  const { interval, info } = shown;
  const summary = dataOn(shown, useSummary(shown));
  const quality = dataOn(shown, useQuality(shown));
  const limits = dataOn(shown, useLimits(shown));
  const maxima = useFastMaxima(shown);
  const scale = scaleIn(summary?.scale);
  const now = Date.now();
  return (
    <header className="report">
      <h1>{pageTitle(info)}</h1>
      <p className="interval">{intervalText(interval.from, interval.to)}</p>
      <p className="soft">
        {words.times(lengthText((interval.to - interval.from) / 1000), zonesText(interval.from, interval.to))}{' '}
        {words.printed(`${timeText(now, 'dated')} ${zoneName(now)}`)}
      </p>
      {limits && <Verdicts of={withMaxima(limits, maxima)} />}
      <p className="words">
        {summary &&
          quality &&
          [
            `${scale.level} ${scale.hasEnergy ? summaryLeqText(summary, scale) : levelText(summary.max_db, scale)} ${scale.unit}`,
            `${texts.cards.measured} ${percentText(measuredOf(summary, quality))}`,
          ].join(', ')}
      </p>
    </header>
  );
}

/** How the figures were measured, and where to get them again. */
export function ReportFoot({ shown }: { shown: Shown }) {
  const summary = dataOn(shown, useSummary(shown));
  const quality = dataOn(shown, useQuality(shown));
  const address = stillAddress(shown.view, shown.interval);
  return (
    <footer className="report">
      <dl className="method">
        {methodOf(shown, scaleIn(summary?.scale), quality).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="address">
        {words.again} <a href={address}>{address}</a>
      </p>
    </footer>
  );
}

const MARKS = { over: '▲', under: '✓', undecided: '?' };

/** A line for each limit, and for a part that has not ended. */
function Verdicts({ of }: { of: AgainstLimits }) {
  return (
    <ul className="verdicts">
      {verdictLines(of).map(({ key, times, state, verdict, reasons }) => (
        <li key={key}>
          <strong className={state ?? ''}>
            {state && MARKS[state]} {times}: {verdict}
          </strong>{' '}
          {reasons}
        </li>
      ))}
    </ul>
  );
}

/** The share of the interval, up to now, that the figures cover. Points in excluded time do not count. */
function measuredOf(summary: Outputs['stats']['summary'], quality: Outputs['stats']['quality']) {
  const { coverage_percent, point_count } = quality;
  if (coverage_percent === null || summary.excluded_seconds === 0) return coverage_percent;
  return (coverage_percent * summary.point_count) / Math.max(point_count, 1);
}
