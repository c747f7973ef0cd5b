// A question mark beside a figure: what it means, in a sentence, by touch and by keyboard.
import { MEANINGS } from './meanings.ts';

export function Meaning({ of }: { of: keyof typeof MEANINGS }) {
  const { name, text } = MEANINGS[of];
  return (
    <details className="meaning" name="popup">
      <summary aria-label={`What ${name} means`}>?</summary>
      <p className="popup">{text}</p>
    </details>
  );
}
