import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './program.ts';

const GUARD = './src/node-version.cjs';
const { scripts, allowScripts, engines } = JSON.parse(readFileSync('package.json', 'utf8'));

const REFUSAL = (version: string) =>
  `Audio Metrics needs Node.js 24 or newer, not ${version}: \`npm ci\` brings it unless scripts are ignored, and so does \`npm rebuild node --ignore-scripts=false\`.\n`;

const { PATH = '' } = process.env;
/** Those that the machine has beside ours. */
const others = PATH.split(':')
  .map((folder) => resolve(join(folder, 'node')))
  .filter((path) => existsSync(path) && !path.includes('node_modules'));

describe('The version of Node.js', () => {
  it('is looked at by everything that runs TypeScript, and by the tests', () => {
    const guarded = new RegExp(`^node (-r )?(./)?${GUARD.slice(2)} `);
    for (const [name, script] of Object.entries<string>(scripts))
      expect([name, guarded.test(script)]).toEqual([name, /\.ts\b|vitest/.test(script)]);
  });

  it('is one that the guard and npm take alike', async () => {
    expect(await run([process.execPath, GUARD])).toEqual({ status: 0, stdout: '', stderr: '' });
    for (const [version, status] of [
      ['20.20.2', 1],
      ['23.11.1', 1],
      ['24.0.0', 0],
      ['26.1.0', 0],
    ] as const) {
      const older = `for (const [of, name, value] of [[process.versions, 'node', '${version}'], [process, 'version', 'v${version}']])
        Object.defineProperty(of, name, { value });
      require('${GUARD}')`;
      const stderr = status === 0 ? '' : REFUSAL(`v${version}`);
      expect(await run([process.execPath, '-e', older])).toEqual({ status, stdout: '', stderr });
    }
    expect(engines.node).toBe('>=24');
  });

  it('is told where an older one of the machine would not know what TypeScript is', async () => {
    for (const other of others) {
      const version = (await run([other, '--version'])).stdout.trim();
      if (Number.parseInt(version.slice(1), 10) >= 24) continue;
      const answer = await run([other, '-r', GUARD, 'src/main.ts', '--help']);
      expect(answer).toEqual({ status: 1, stdout: '', stderr: REFUSAL(version) });
    }
  });

  it('comes by an install script that package.json allows, and every other is decided on', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([path, { hasInstallScript }]) => path && hasInstallScript)
      .map(([path]) => path.split('node_modules/').at(-1));
    expect([...new Set(withScripts)].toSorted()).toEqual(Object.keys(allowScripts).toSorted());
    expect(allowScripts).toEqual({ node: true, esbuild: false });
  });
});
