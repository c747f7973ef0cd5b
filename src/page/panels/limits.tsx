// Levels against the limits by time of day: for the interval, and period by period.
import { countText, NOTHING, rangeText } from '../locale-format.ts';
import { useFastMaxima, withMaxima } from '../state/fast-station.ts';
import { type Shown, useLimits } from '../state/shown.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import type { AgainstLimits } from '../verdict-text.ts';
import { DataTable } from './data-table.tsx';
import {
  assessText,
  limitCells,
  maximaCell,
  partCells,
  uncertaintyText,
  verdictLines,
} from './limit-verdict.ts';
import { Panel } from './panel-frame.tsx';
import { HowToCalibrate, NoEnergy } from './summary-figures.tsx';

const { limits: words } = texts;

const LISTED = 62;

export function LimitsPanel({ shown }: { shown: Shown }) {
  const query = useLimits(shown);
  const maxima = useFastMaxima(shown);
  return (
    <Panel title={words.title} meaning="limits" className="limits" query={query}>
      {query.data && <LimitTables answer={withMaxima(query.data, maxima)} isOnPaper={shown.isOnPaper} />}
    </Panel>
  );
}

function LimitTables({ answer, isOnPaper }: { answer: AgainstLimits } & Pick<Shown, 'isOnPaper'>) {
  if (answer.offset_db === null)
    return answer.scale.unit === null ? <p className="hint">{words.mixed}</p> : <HowToCalibrate />;
  const { limits, parts } = answer;
  const scale = scaleIn(answer.scale);
  const table = [words.columns, ...limits.map((limit) => limitCells(limit, answer))];
  // a limit has a column on a screen, which is narrow, and a row on paper
  const turned = words.columns.map((_, column) => table.map((row) => row[column] ?? ''));
  const [columns = [], ...rows] = isOnPaper ? table : turned;
  const hasMaxima = limits.some(({ max_limit_db }) => max_limit_db !== null);
  return (
    <>
      <NoEnergy scale={scale} interval={{ from: Date.parse(answer.from), to: Date.parse(answer.to) }} />
      <DataTable
        caption={`${words.caption(scale.unit, assessText(limits, answer.assess))}; ${uncertaintyText(answer.uncertainty_db)}`}
        columns={columns}
        rows={rows.map(([first = '', ...cells]) => [first, first, ...cells])}
      />
      {verdictLines(answer).map(
        ({ key, times, verdict, reasons, hasMore }) =>
          hasMore && (
            <p key={key} className="hint">
              {times}: {verdict}
              {reasons && ` · ${reasons}`}
            </p>
          ),
      )}
      <details>
        <summary>{words.byPeriod}</summary>
        <DataTable
          columns={[...words.partsColumns, ...(hasMaxima ? [texts.figures.maximum] : [])]}
          rows={parts
            .slice(-LISTED)
            .map((part) => [
              part.from,
              rangeText(part.from, part.to, 'minute'),
              ...partCells(part, answer),
              part.minutes_over === null ? NOTHING : countText(part.minutes_over),
              ...(hasMaxima ? [maximaCell(part, answer)] : []),
            ])}
        />
      </details>
    </>
  );
}
