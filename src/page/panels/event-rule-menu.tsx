// The rule for noise events: over the limit, over the reader's own level, or some dB over the background.
import { useState } from 'react';
import { ruleText } from '../locale-format.ts';
import { ABOVE_DEFAULT, hundredths, limitOf, thresholdInAddress } from '../state/event-rule.ts';
import { RANGE_DB, type Scale } from '../state/scale.ts';
import type { Shown } from '../state/shown.ts';
import { changeView, type View } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { Menu } from './menu.tsx';

const { rule: words } = texts;

export function EventRuleMenu({ shown, scale }: { shown: Shown; scale: Scale }) {
  const { view, rule, info, interval } = shown;
  const { unit, floor } = scale;
  const change = (to: Pick<View, 'threshold' | 'aboveBackground'>) => changeView(to, { step: false });
  const above = 'above_background' in rule ? rule.above_background : undefined;
  const threshold = 'threshold' in rule ? rule.threshold : undefined;
  const isDefault = view.threshold === null && view.aboveBackground === null;
  const limit = limitOf(info, interval);
  const level = threshold ?? limit ?? floor + RANGE_DB - 10;
  const changeThreshold = (to: number) =>
    change({ threshold: thresholdInAddress(to, floor), aboveBackground: null });
  return (
    <Menu label={words.events(ruleText(rule, scale))} className="chosen">
      <fieldset className="rule">
        <legend className="hidden">{words.legend}</legend>
        <Option isChosen={isDefault} onChoose={() => change({ threshold: null, aboveBackground: null })}>
          {limit === undefined ? words.usual(ABOVE_DEFAULT) : words.limit}
        </Option>
        <Option isChosen={!isDefault && threshold !== undefined} onChoose={() => changeThreshold(level)}>
          {words.above}{' '}
          <Decibels
            label={words.threshold(unit)}
            unit={unit}
            range={[hundredths(floor), hundredths(floor + RANGE_DB)]}
            value={hundredths(level)}
            onChange={changeThreshold}
          />
        </Option>
        <Option
          isChosen={!isDefault && above !== undefined}
          onChoose={() => change({ threshold: null, aboveBackground: above ?? ABOVE_DEFAULT })}
        >
          {words.aboveBackground}{' '}
          <Decibels
            label={words.distance}
            unit="dB"
            range={[3, 60]}
            value={above ?? ABOVE_DEFAULT}
            onChange={(aboveBackground) => change({ threshold: null, aboveBackground })}
          />
        </Option>
      </fieldset>
    </Menu>
  );
}

function Option(props: { isChosen: boolean; onChoose: () => void; children: React.ReactNode }) {
  return (
    <label>
      <input type="radio" name="rule" checked={props.isChosen} onChange={props.onChoose} />
      <span>{props.children}</span>
    </label>
  );
}

interface DecibelsProps {
  readonly label: string;
  readonly unit: string;
  readonly range: readonly [least: number, most: number];
  readonly value: number;
  onChange(value: number): void;
}

function Decibels({ label, unit, range: [least, most], value, onChange }: DecibelsProps) {
  const [typed, setTyped] = useState<string>();
  const fits = (db: number) => db >= least && db <= most;
  const isWrong = typed !== undefined && !fits(typed === '' ? Number.NaN : Number(typed));
  return (
    <>
      <input
        type="number"
        aria-label={label}
        aria-invalid={isWrong}
        step="any"
        min={least}
        max={most}
        value={typed ?? value}
        onChange={({ target }) => {
          setTyped(target.value);
          if (fits(target.valueAsNumber)) onChange(target.valueAsNumber); // NaN for a text that is not a number
        }}
        onBlur={() => setTyped(undefined)}
      />{' '}
      {unit}
      {isWrong && <span role="alert"> {words.mustBe(least, most)}</span>}
    </>
  );
}
