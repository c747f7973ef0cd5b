// Finds a column that distinguishes several series in one table, such as entity_id or freqMode.

/** Names of columns that identify a sensor, place or quantity. */
const KEY =
  /(?:^|[_\s.-])(?:id|uid|field|measurement|metric|series|sensor|device|entity|station|channel|topic|name|host|node|location|site|place|point|mic|microphone|unit|weighting|mode|ort|messpunkt|standort|capteur|lieu|sonda|punto|stazione)s?$|(?:Id|ID|Mode|Name|Unit)$/i;
/** Values that describe a single line only. */
const FLAG = /^(?:yes|no|y|n|true|false|on|off|ok|valid|invalid|ja|nein|oui|non|si|sí|-)?$/i;
/** Weightings and quantities. Levels of different ones cannot be compared. */
const KIND = /^(?:dB\s?\(?)?[ABCZ]\)?$|^L?[ACZ]?F?(?:eq|max|min|peak)$/i;
const areKinds = (values: ReadonlyMap<string, number>) => [...values.keys()].every((text) => KIND.test(text));
/** The most lines per change in a column that distinguishes series. A day-or-night column changes less often. */
const ALTERNATES = 3;
const MOST_VALUES = 50;
const MOST_COLUMNS = 50;

interface Watched {
  readonly index: number;
  readonly name: string;
  readonly isNamed: boolean;
  readonly values: Map<string, number>;
  last: string | undefined;
  changes: number;
}

export interface Key {
  readonly name: string;
  readonly values: readonly string[];
}

/** @param header undefined without one: columns count from 1. @param isRead whether a column is read or in --where */
export function createKeyWatch(header: readonly string[] | undefined, isRead: (index: number) => boolean) {
  let columns: Watched[] | undefined;
  let lines = 0;

  function begin(fields: readonly string[]): Watched[] {
    const found = fields.flatMap((text, index) => {
      const name = header?.[index] || String(index + 1);
      const isNamed = header !== undefined && KEY.test(name);
      if (isRead(index)) return [];
      const isText = /\p{L}/u.test(text) && !/\d:\d/.test(text);
      return isNamed || isText
        ? [{ index, name, isNamed, values: new Map(), last: undefined, changes: 0 }]
        : [];
    });
    return found.slice(0, MOST_COLUMNS);
  }

  return {
    /** @param fields the fields of a line that is a point */
    add(fields: readonly string[]): void {
      columns ??= begin(fields);
      lines += 1;
      for (const column of columns) {
        const value = fields[column.index] ?? '';
        column.values.set(value, (column.values.get(value) ?? 0) + 1);
        if (column.last !== undefined && column.last !== value) column.changes += 1;
        column.last = value;
      }
      if (columns.some(({ values }) => values.size > MOST_VALUES))
        columns = columns.filter(({ values }) => values.size <= MOST_VALUES);
    },
    /** @param startsOver whether times start over, because one series follows another */
    find(startsOver: boolean): Key | undefined {
      const several = (columns ?? []).filter(
        ({ values }) =>
          values.size > 1 && values.size < lines && ![...values.keys()].every((text) => FLAG.test(text)),
      );
      const alternates = ({ changes, values }: Watched) =>
        changes >= Math.max(4, lines / ALTERNATES) && !values.has('');
      const found =
        several.find(({ isNamed, values }) => (isNamed || areKinds(values)) && !values.has('')) ??
        several.find((column) => alternates(column) || startsOver);
      return found && { name: found.name, values: [...found.values.keys()] };
    },
  };
}
