// The tables of the interval: a tab for each on screen, one below another on paper.
import { useState } from 'react';
import { type Shown, useDays, useFrequencies } from '../state/shown.ts';
import { texts } from '../texts/texts.ts';
import { DaysPanel } from './days.tsx';
import { EventsPanel } from './events.tsx';
import { useOneTabStop } from './keyboard-focus.ts';
import { LimitsPanel } from './limits.tsx';
import { PitchPanel } from './pitch.tsx';
import { QualityPanel } from './quality.tsx';
import { FiguresPanel } from './summary-figures.tsx';

const { limits, tables: words } = texts;

const TABS = [
  [texts.figures.title, FiguresPanel],
  [texts.events.title, EventsPanel],
  [texts.tones.title, PitchPanel],
  [limits.title, LimitsPanel],
  [texts.days.title, DaysPanel],
  [texts.quality.title, QualityPanel],
] as const;

export function TablesPanel({ shown }: { shown: Shown }) {
  const [chosen, choose] = useState<string>(texts.figures.title);
  const stops = useOneTabStop<HTMLDivElement>('[role=tab]');
  const tabs = TABS.filter(([name]) => name !== limits.title || shown.info.limits.length > 0);
  return (
    <div className="panel tables">
      <div role="tablist" aria-label={words.title} {...stops}>
        {tabs.map(([name]) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            onFocus={() => choose(name)}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {tabs.map(
        ([name, Content]) =>
          (name === chosen || shown.isOnPaper) && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
            <div key={name} role="tabpanel" aria-label={name} tabIndex={0}>
              <Content shown={shown} />
            </div>
          ),
      )}
      {shown.isReportRequested && <OnlyForPaper shown={shown} />}
    </div>
  );
}

/** Requests what only tables show, before all of them are printed: printing does not wait. */
function OnlyForPaper({ shown }: { shown: Shown }) {
  useDays(shown);
  useFrequencies(shown);
  return null;
}
