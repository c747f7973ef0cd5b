// Quality of the data: gaps, exclusions and overload in words and as tables.
import type { Outputs } from '../../client/index.ts';
import { countText, lengthText, percentText, rangeText, shareText, timeText } from '../locale-format.ts';
import { type Shown, useQuality } from '../state/shown.ts';
import type { Info } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { DataTable } from './data-table.tsx';
import { Panel } from './panel-frame.tsx';

const { quality: words } = texts;

type Quality = Outputs['stats']['quality'];

/** For example `, excluded time included`; '' without exclusions. */
export const excludedNote = ({ exclusion_count }: Pick<Quality, 'exclusion_count'>) =>
  exclusion_count > 0 ? words.withExcluded : '';

export function QualityPanel({ shown }: { shown: Shown }) {
  const query = useQuality(shown);
  return (
    <Panel title={words.title} meaning="measured" className="quality" query={query}>
      {query.data && <QualityText quality={query.data} info={shown.info} most={shown.isOnPaper ? 10 : 20} />}
    </Panel>
  );
}

/** @param most how many gaps (longest first) and exclusions (newest first) a table lists */
function QualityText({ quality, info, most }: { quality: Quality; info: Info; most: number }) {
  const { gaps, gap_count, gap_seconds, overload_percent } = quality;
  const { ahead_count, ahead_until } = info;
  const withoutLevel = quality.null_level_percent ?? 0;
  const atCeiling = quality.at_ceiling_percent ?? 0;
  const overload =
    overload_percent === null ? words.overloadUnknown : words.overload(shareText(overload_percent));
  const { exclusions, repeated_count } = quality;
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
          <li>{overload_percent ? <strong className="over">▲ {overload}</strong> : overload}</li>
        )}
        {repeated_count > 0 && <li>{words.repeated(countText(repeated_count))}</li>}
        {withoutLevel > 0 && <li>{words.noLevel(percentText(withoutLevel))}</li>}
        {ahead_until && <li>{words.ahead(ahead_count, countText(ahead_count), timeText(ahead_until))}</li>}
      </ul>
      {listed.length > 0 && (
        <DataTable
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
        <DataTable
          caption={exclusions.length > most ? words.newest(most, countText(quality.exclusion_count)) : ''}
          columns={words.exclusionsColumns}
          rows={exclusions
            .slice(-most)
            .toReversed()
            .map(({ from, to, reason, by }) => [
              `${from} ${to}`,
              rangeText(from, to, 'minute'),
              lengthText((Date.parse(to) - Date.parse(from)) / 1000),
              by === null ? reason : `${reason} (${by})`,
            ])}
        />
      )}
    </>
  );
}
