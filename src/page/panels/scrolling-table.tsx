// A table that scrolls in its panel, also by keyboard.
import type { ReactNode } from 'react';

interface TableProps {
  /** Its name for screen readers. */
  readonly label: string;
  readonly caption?: string;
  readonly columns: readonly string[];
  /** Rows, in `tbody` and `tfoot`. */
  readonly children: ReactNode;
}

export function ScrollingTable({ label, caption, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      <table>
        {caption && <caption className="soft">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </section>
  );
}

/** A row: its heading, and its cells. */
export function TableRow({ of, cells }: { of: ReactNode; cells: readonly ReactNode[] }) {
  return (
    <tr>
      <th scope="row">{of}</th>
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
}
