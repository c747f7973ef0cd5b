// The panels of the page, in the order of reading: too loud? when? by what? is it usual? Each panel loads its own data.
import { memo, useEffect, useRef } from 'react';
import { Cards } from './cards/cards.tsx';
import { LevelPanel } from './panels/level-panel.tsx';
import { NightsPanel } from './panels/nights-panel.tsx';
import { TablesPanel } from './panels/tables-panel.tsx';
import { WhyPanel } from './panels/why-panel.tsx';
import type { ShownState } from './state/live-level.ts';
import type { Shown } from './state/shown.ts';

interface Props {
  readonly shown: Shown;
  readonly state: ShownState['state'];
  /** Whether the page listens to new points. */
  readonly isLive: boolean;
}

/** Memoized, so that a live point rerenders only the header. */
export const Dashboard = memo(function Dashboard({ shown, state, isLive }: Props) {
  const { view } = shown;
  const level = useRef<HTMLDivElement>(null);
  const last = useRef(view);
  useEffect(() => {
    if (last.current !== view && document.activeElement === document.body)
      level.current?.focus({ preventScroll: true }); // the pressed button is gone
    last.current = view;
  }, [view]);
  return (
    <>
      <Cards shown={shown} />
      <LevelPanel shown={shown} isLive={isLive} isRecording={state === 'recording'} focus={level} />
      <WhyPanel shown={shown} />
      <NightsPanel shown={shown} />
      <TablesPanel shown={shown} />
    </>
  );
});
