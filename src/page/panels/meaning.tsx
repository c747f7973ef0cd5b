// A question mark beside a figure. It explains the figure in a sentence, by touch and by keyboard.
import { texts } from '../texts/texts.ts';
import { Menu } from './menu.tsx';

export type MeaningName = keyof typeof texts.meanings;

export function Meaning({ of }: { of: MeaningName }) {
  const [name = '', ...text] = texts.meanings[of].split(': ');
  return (
    <Menu label="?" name={texts.menu.means(name)} className="meaning">
      <p>{text.join(': ')}</p>
    </Menu>
  );
}
