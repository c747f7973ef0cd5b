// A row of buttons with one selected.

interface ChoiceProps<Name extends string> {
  /** The label of each button. */
  readonly names: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** The name of the group, for screen readers. */
  readonly legend: string;
}

export function Choice<Name extends string>({ names, chosen, onChoose, legend }: ChoiceProps<Name>) {
  return (
    <fieldset className="group">
      <legend className="hidden">{legend}</legend>
      {keysOf(names).map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {names[name]}
        </button>
      ))}
    </fieldset>
  );
}

function keysOf<Name extends string>(names: Readonly<Partial<Record<Name, string>>>): Name[] {
  const keys: Name[] = [];
  for (const name in names) keys.push(name);
  return keys;
}
