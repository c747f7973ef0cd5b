// A year against the year before.
import { YEAR_TEXTS } from '../../texts/year.ts';
import { countText, decibelText, leqText, NOTHING } from '../locale-format.ts';
import { DataTable } from '../panels/data-table.tsx';
import { serviceZone } from '../state/site.ts';
import { language, texts } from '../texts/texts.ts';
import { useFiguresOf } from './year-answers.ts';

const { [language]: words } = YEAR_TEXTS;

type Figures = ReturnType<typeof useFiguresOf>;

const LEVELS = ['lden', 'lday', 'levening', 'lnight'] as const;

const levelIn = ({ figures }: Figures, name: (typeof LEVELS)[number]) => ({
  leq_db: figures?.[`${name}_db`] ?? null,
  leq_low_db: figures?.[`${name}_low_db`] ?? null,
  over_range: figures?.over_range ?? 0,
});

const shareOf = (some: number | null | undefined, all = 0) =>
  some == null || all === 0 ? NOTHING : texts.limits.of(countText(some), countText(all));

export function Comparison(of: { year: number; isRunning: boolean; hasLimits: boolean }) {
  const { year, isRunning, hasLimits } = of;
  const [these, last] = [useFiguresOf(year, hasLimits), useFiguresOf(year - 1, hasLimits)];
  const row = (key: string, name: string, textOf: (of: Figures) => string, change = '') =>
    [key, name, textOf(these), textOf(last), change] as const;
  const levels = LEVELS.map((name) => {
    const [now, before] = [levelIn(these, name).leq_db, levelIn(last, name).leq_db];
    const isComparable = now !== null && before !== null && these.scale.unit === last.scale.unit;
    const change = isComparable ? `${now > before ? '+' : ''}${decibelText(now - before)}` : NOTHING;
    return row(name, name.replace('l', 'L'), (of) => leqText(levelIn(of, name), of.scale), change);
  });
  return (
    <div>
      <DataTable
        columns={[texts.range.presets.year, `${year}`, `${year - 1}`, words.change]}
        rows={[
          ...levels,
          row('whole', words.whole, ({ figures }) => shareOf(figures?.days_whole, figures?.days_total)),
          row('over', words.over, ({ nights }) =>
            hasLimits
              ? shareOf(nights?.parts_over, (nights?.part_count ?? 0) - (nights?.parts_undecided ?? 0))
              : texts.cards.noLimit,
          ),
        ]}
      />
      <p className="hint">
        {words.mean} {isRunning && words.running(`${year}`)}{' '}
        {texts.days.caption(serviceZone(), these.scale.unit)}.
      </p>
    </div>
  );
}
