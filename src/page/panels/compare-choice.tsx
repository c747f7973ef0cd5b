// With what the level chart compares its interval.
import { type Comparison, changeView } from '../state/view-in-address.ts';

export function CompareChoice({ compare }: { compare: Comparison | null }) {
  return (
    <label>
      <span className="hidden">Compare with</span>
      <select
        value={compare ?? ''}
        onChange={({ target: { value } }) =>
          changeView({ compare: value === 'day' || value === 'week' ? value : null }, { step: false })
        }
      >
        <option value="">Compare…</option>
        <option value="day">with the day before</option>
        <option value="week">with the week before</option>
      </select>
    </label>
  );
}
