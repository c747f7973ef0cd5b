// The switch of the colour theme: system, light or dark.
import { useState } from 'react';
import { chooseTheme, storedTheme, THEMES, type Theme } from '../state/theme.ts';

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  return (
    <label>
      <span className="hidden">Colours</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const next = THEMES.find((each) => each === target.value) ?? 'system';
          chooseTheme(next);
          setTheme(next);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
