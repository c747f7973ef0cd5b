// A row of buttons of which one is chosen.

interface ChoiceProps<Name extends string> {
  /** What each is called on its button. */
  readonly names: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** What is chosen, for screen readers. */
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
