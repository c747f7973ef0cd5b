// What makes a noise event: a level, or a distance from the background.
import { useState } from 'react';
import type { Scale } from '../../contract/shown-scale.ts';
import { changeView, LOUDEST, QUIETEST, type View } from '../state/view-in-address.ts';

const ABOVE_DEFAULT = 15;

/** Rounds away what binary fractions add. */
const hundredths = (db: number) => Math.round(db * 100) / 100;

export function NoiseEventRule({
  view: { threshold, aboveBackground },
  scale,
}: {
  view: View;
  scale: Scale;
}) {
  const isAbove = aboveBackground !== null;
  const change = (change: Partial<View>) => changeView(change, { step: false });
  const { unit, offset } = scale;
  return (
    <fieldset className="rule">
      <legend className="hidden">What makes a noise event</legend>
      <RuleOption name="above" isChosen={!isAbove} onChoose={() => change({ aboveBackground: null })} />
      <Decibels
        label={`Threshold, ${unit}`}
        unit={unit}
        range={[hundredths(QUIETEST + offset), hundredths(LOUDEST + offset)]}
        value={hundredths(threshold + offset)}
        isOff={isAbove}
        onChange={(level) =>
          change({ threshold: Math.min(Math.max(hundredths(level - offset), QUIETEST), LOUDEST) })
        }
      />
      <RuleOption
        name="above the background by"
        isChosen={isAbove}
        onChoose={() => change({ aboveBackground: ABOVE_DEFAULT })}
      />
      <Decibels
        label="Above the background by, dB"
        unit="dB"
        range={[3, 60]}
        value={aboveBackground ?? ABOVE_DEFAULT}
        isOff={!isAbove}
        onChange={(aboveBackground) => change({ aboveBackground })}
      />
    </fieldset>
  );
}

function RuleOption(props: { name: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <label>
      <input type="radio" name="rule" checked={props.isChosen} onChange={props.onChoose} />
      {props.name}
    </label>
  );
}

interface DecibelsProps {
  readonly label: string;
  readonly unit: string;
  readonly range: readonly [least: number, most: number];
  readonly value: number;
  readonly isOff: boolean;
  onChange(value: number): void;
}

function Decibels({ label, unit, range: [least, most], value, isOff, onChange }: DecibelsProps) {
  const [typed, setTyped] = useState<string>();
  const fits = (db: number) => db >= least && db <= most;
  const isWrong = typed !== undefined && !fits(typed === '' ? Number.NaN : Number(typed));
  return (
    <span>
      <input
        type="number"
        aria-label={label}
        aria-invalid={isWrong}
        step="any"
        min={least}
        max={most}
        disabled={isOff}
        value={typed ?? value}
        onChange={({ target }) => {
          setTyped(target.value);
          if (fits(target.valueAsNumber)) onChange(target.valueAsNumber); // NaN for what is no number
        }}
        onBlur={() => setTyped(undefined)}
      />{' '}
      {unit}
      {isWrong && (
        <span role="alert">
          {' '}
          must be from {least} to {most}
        </span>
      )}
    </span>
  );
}
