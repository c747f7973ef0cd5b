// A button that opens a menu below it. The browser closes the menu on Escape and on a press elsewhere.
import { type ReactNode, useId } from 'react';
import { texts } from '../texts/texts.ts';

interface MenuProps {
  readonly label: ReactNode;
  /** Its name for screen readers, if the label is an icon. */
  readonly name?: string | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Menu({ label, name, className, children }: MenuProps) {
  const id = useId();
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={name} title={name} className={className}>
        {label}
      </button>
      <div id={id} popover="auto" className="menu">
        {children}
      </div>
    </>
  );
}

export const closeMenu = (element: HTMLElement) => element.closest<HTMLElement>('[popover]')?.hidePopover();

export type MeaningName = keyof typeof texts.meanings;

/** A question mark beside a figure. It explains the figure in a sentence, by touch and by keyboard. */
export function Meaning({ of }: { of: MeaningName }) {
  const [name = '', ...text] = texts.meanings[of].split(': ');
  return (
    <Menu label="?" name={texts.menu.means(name)} className="meaning">
      <p>{text.join(': ')}</p>
    </Menu>
  );
}
