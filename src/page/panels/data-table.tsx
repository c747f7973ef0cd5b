// A table of texts, such as the gaps of an interval.
import type { ReactNode } from 'react';

interface TableProps {
  readonly caption?: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The last row, about all others. */
  readonly total?: Row | undefined;
}

type Row = readonly [key: string, heading: ReactNode, ...cells: readonly ReactNode[]];

export function DataTable({ caption, columns, rows, total }: TableProps) {
  return (
    <table>
      {caption && <caption className="soft">{caption}</caption>}
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row) => (
          <TableRow key={row[0]} of={row} />
        ))}
      </tbody>
      {total && (
        <tfoot>
          <TableRow of={total} />
        </tfoot>
      )}
    </table>
  );
}

export function TableHead({ columns }: Pick<TableProps, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow({ of: [, heading, ...cells] }: { of: Row }) {
  return (
    <tr>
      <th scope="row">{heading}</th>
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
}
