// Quality of the data: gaps and exclusions as a strip below the chart, in words and as tables.
import type { Outputs } from '../../client/index.ts';
import { countText, lengthText, percentText, rangeText, shareText, timeText } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type Shown, useQuality } from '../state/shown.ts';
import { texts } from '../texts/texts.ts';
import { Panel } from './panel-frame.tsx';
import { ScrollingTable } from './scrolling-table.tsx';

const { quality: words, level } = texts;

type Quality = Outputs['stats']['quality'];

export function GapStrip({
  quality,
  interval: { from, to },
  oldest,
}: {
  /** Undefined while unknown; its space is reserved. */
  quality: Quality | undefined;
  interval: TimeSpan;
  /** The first point ever. Time before it is not a gap. */
  oldest: string | null;
}) {
  const percentAt = (time: string) =>
    Math.min(Math.max(((Date.parse(time) - from) / (to - from)) * 100, 0), 100);
  const placeOf = (part: { from: string; to: string }) => {
    const start = percentAt(part.from);
    return { left: `${start}%`, width: `${percentAt(part.to) - start}%` };
  };
  return (
    <div className="gaps" aria-hidden="true">
      <small className="soft">{level.gaps}</small>
      <div className="strip">
        {quality?.gaps
          .filter((gap) => oldest !== null && gap.to > oldest)
          .map((gap) => (
            <span
              key={gap.from}
              title={level.gap(lengthText(gap.seconds), timeText(gap.from))}
              style={placeOf(gap)}
            />
          ))}
        {quality?.exclusions.map((excluded) => (
          <span
            key={`${excluded.from} ${excluded.to} ${excluded.reason}`}
            className="excluded"
            title={`${words.leftOut}: ${rangeText(Date.parse(excluded.from), Date.parse(excluded.to), 'minute')}, ${excluded.reason}`}
            style={placeOf(excluded)}
          />
        ))}
      </div>
    </div>
  );
}

/** For example `, excluded time included`; '' without exclusions. */
export const excludedNote = ({ exclusion_count }: Pick<Quality, 'exclusion_count'>) =>
  exclusion_count > 0 ? words.withExcluded : '';

export function QualityPanel({ shown }: { shown: Shown }) {
  const query = useQuality(shown);
  return (
    <Panel title={words.title} meaning="measured" className="quality" query={query}>
      {query.data && <QualityText quality={query.data} most={shown.isOnPaper ? 10 : 20} />}
    </Panel>
  );
}

/** @param most how many gaps (longest first) and exclusions (newest first) a table lists */
function QualityText({ quality, most }: { quality: Quality; most: number }) {
  const { gaps, gap_count, gap_seconds, future_count, overload_percent } = quality;
  const withoutLevel = quality.null_level_percent ?? 0;
  const atCeiling = quality.at_ceiling_percent ?? 0;
  const { exclusions } = quality;
  const listed = gaps.toSorted((a, b) => b.seconds - a.seconds).slice(0, most);
  return (
    <>
      <ul className="facts">
        <li>{words.coverage(percentText(quality.coverage_percent)) + excludedNote(quality)}</li>
        <li>
          {gap_count === 0
            ? words.noGaps
            : words.gaps(gap_count, countText(gap_count), lengthText(gap_seconds))}
        </li>
        <li>{words.atFloor(percentText(quality.at_floor_percent))}</li>
        {atCeiling > 0 && <li>{words.atCeiling(shareText(atCeiling))}</li>}
        {quality.point_count > 0 && (
          <li>
            {overload_percent === null ? (
              words.overloadUnknown
            ) : overload_percent > 0 ? (
              <strong className="over">▲ {words.overload(shareText(overload_percent))}</strong>
            ) : (
              words.overload(shareText(overload_percent))
            )}
          </li>
        )}
        {withoutLevel > 0 && <li>{words.noLevel(percentText(withoutLevel))}</li>}
        {future_count > 0 && <li>{words.ahead(future_count, countText(future_count))}</li>}
      </ul>
      {listed.length > 0 && (
        <ScrollingTable
          label={words.table}
          caption={gap_count > listed.length ? words.longest(listed.length, countText(gap_count)) : ''}
          columns={words.columns}
          rows={listed.map(({ from, to, seconds }) => [
            from,
            timeText(from),
            timeText(to),
            lengthText(seconds),
          ])}
        />
      )}
      {exclusions.length > 0 && (
        <ScrollingTable
          label={words.exclusionsTable}
          caption={exclusions.length > most ? words.newest(most, countText(quality.exclusion_count)) : ''}
          columns={words.exclusionsColumns}
          rows={exclusions
            .slice(-most)
            .toReversed()
            .map(({ from, to, reason, by }) => [
              `${from} ${to}`,
              rangeText(Date.parse(from), Date.parse(to), 'minute'),
              lengthText((Date.parse(to) - Date.parse(from)) / 1000),
              by === null ? reason : `${reason} (${by})`,
            ])}
        />
      )}
    </>
  );
}
