// The menu of the page: its language, colours and time zone, and links to the manual.
import type { ReactNode } from 'react';
import { LANGUAGES } from '../../texts/languages.ts';
import { zonesText } from '../locale-format.ts';
import { serviceUrl } from '../state/service-url.ts';
import { BROWSER_ZONE, type Info, serviceZone, timeZone } from '../state/site.ts';
import { chooseTheme, storedTheme, THEMES } from '../state/theme.ts';
import { changeView } from '../state/view-in-address.ts';
import { chooseLanguage, language, texts } from '../texts/texts.ts';
import { Menu } from './menu.tsx';

const { menu } = texts;

export function PageMenu({ info, children }: { info: Info | undefined; children?: ReactNode }) {
  const zones = [...new Set([serviceZone(), BROWSER_ZONE, 'UTC', timeZone()])];
  return (
    <Menu label="⋯" name={menu.page} className="more">
      {children}
      <Select
        name={menu.language}
        value={language}
        options={Object.entries(LANGUAGES)}
        onChoose={chooseLanguage}
      />
      <Select
        name={menu.colours}
        value={storedTheme()}
        options={THEMES.map((theme) => [theme, menu.themes[theme]])}
        onChoose={(name) => chooseTheme(THEMES.find((theme) => theme === name) ?? 'system')}
      />
      {info && (
        <Select
          name={menu.zone}
          value={timeZone()}
          options={zones.map((zone) => [zone, zone === serviceZone() ? menu.ofMicrophone(zone) : zone])}
          onChoose={(zone) => changeView({ timeZone: zone === serviceZone() ? null : zone }, { step: false })}
        />
      )}
      <a href={`${serviceUrl()}/manual/`}>{menu.manual}</a>
      <a href={`${serviceUrl()}/docs/`}>{menu.reference}</a>
      {info && (
        <small className="soft">
          {menu.times(zonesText(Date.now()))} Audio Metrics {info.version}, {info.database}.
        </small>
      )}
    </Menu>
  );
}

interface SelectProps {
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  onChoose(value: string): void;
}

function Select({ name, value, options, onChoose }: SelectProps) {
  return (
    <label>
      {name}
      <select key={value} defaultValue={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
