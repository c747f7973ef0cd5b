import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './process.ts';
import { findProgram, run } from './program.ts';

const GUARD = './src/node-version.cjs';
const INSTALL = 'npx -y -p node@24 npm ci';
const { scripts, allowScripts, engines, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

const { PATH = '' } = process.env;
/** The paths of other Node.js versions on this machine. */
const others = PATH.split(':')
  .map((folder) => resolve(join(folder, 'node')))
  .filter((path) => existsSync(path) && !path.includes('node_modules'));

describe('The Node.js that runs the project', () => {
  it('is checked by every script that runs TypeScript or tests, and before `start` builds the page', () => {
    const guarded = new RegExp(`^node (-r )?(./)?${GUARD.slice(2)} `);
    for (const [name, script] of Object.entries<string>(scripts))
      expect([name, guarded.test(script)]).toEqual([
        name,
        /\.ts\b|vitest/.test(script) || name === 'prestart',
      ]);
  });

  it('must be 24 or newer for the guard, and is 24 in package.json and the README', async () => {
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
      const answer = await run([process.execPath, '-e', older]);
      expect(answer).toEqual({ status, stdout: '', stderr: status === 0 ? '' : refusalOf(`v${version}`) });
    }
    expect(devDependencies.node).toMatch(/^\^24\./);
    expect(readFileSync('README.md', 'utf8')).toContain('Node.js 24');
  });

  it('is named in the error if it is too old for TypeScript', async () => {
    for (const other of others) {
      const version = (await run([other, '--version'])).stdout.trim();
      if (Number.parseInt(version.slice(1), 10) >= 24) continue;
      const answer = await run([other, '-r', GUARD, 'src/main.ts', '--help']);
      expect(answer).toEqual({ status: 1, stdout: '', stderr: refusalOf(version) });
    }
  });

  it('has an install script that package.json allows; every other install script is allowed or denied there', () => {
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([path, { hasInstallScript }]) => path && hasInstallScript)
      .map(([path]) => path.split('node_modules/').at(-1));
    expect([...new Set(withScripts)].toSorted()).toEqual(Object.keys(allowScripts).toSorted());
    expect(allowScripts).toEqual({ node: true, esbuild: false });
  });
});

describe('The Node.js that installs the project', () => {
  it('may be, by `engines` and the README, any version that all native packages of the lock file support', () => {
    const ranges = [...new Set(nativePackages().map((each) => each.engines.node))];
    expect(ranges.length).toBeGreaterThan(2);
    const versions = [...ranges, engines.node].flatMap(edgesOf);
    const fitting = versions.filter((version) => ranges.every((range) => satisfies(version, range)));
    expect(versions.filter((version) => satisfies(version, engines.node))).toEqual(fitting);

    const [, ...lowest] = /^\^(\d+\.\d+)\.0 \|\| >=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
    const named = `Node.js ${lowest.join('+ or ')}+`;
    expect(lowest).toHaveLength(2);
    for (const file of ['README.md', GUARD]) expect(readFileSync(file, 'utf8')).toContain(named);
  });

  it('is installed on Debian 12 by the same command in every file', () => {
    const files = ['README.md', 'docs/tutorials/microphone.md', '.ci/run', GUARD];
    for (const file of files)
      expect([file, readFileSync(file, 'utf8')]).toEqual([file, expect.stringContaining(INSTALL)]);
  });

  it.each(['demo', 'start', 'test', 'page', 'soak'])(
    'is reported in one line by `npm run %s`, with the command that installs again',
    async (script) => {
      const { status, stdout, stderr } = await run([findProgram('npm') ?? 'npm', 'run', '--silent', script], {
        cwd: installation('pluginutils'),
      });
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr.split('\n')).toEqual([expect.stringContaining(`\`${INSTALL}\``), '']);
    },
  );

  it('is not reported if the native package of the bundler is installed, or if the bundler is not', async () => {
    for (const parts of [['pluginutils', 'binding-linux-arm64-gnu'], []])
      expect(await run([process.execPath, GUARD], { cwd: installation(...parts) })).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      });
  });
});

/** The guard's message to an older Node.js. */
const refusalOf = (version: string) =>
  expect.stringMatching(
    new RegExp(
      `^.*Node\\.js 24 .*${version.replaceAll('.', '\\.')}.*\`npm rebuild node --ignore-scripts=false\`.*\n$`,
    ),
  );

/** A folder with the scripts and the guard of the project, and these packages of the bundler. */
function installation(...parts: readonly string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'src'));
  for (const file of ['package.json', GUARD]) copyFileSync(file, join(folder, file));
  for (const part of parts) mkdirSync(join(folder, 'node_modules/@rolldown', part), { recursive: true });
  return folder;
}

/** The packages that npm installs for a platform, but silently leaves out on a Node.js outside `engines`. */
function nativePackages() {
  type Locked = { optional?: boolean; cpu?: readonly string[]; engines?: { node: string } };
  return Object.values<Locked>(packages).flatMap(({ optional, cpu, engines }) =>
    optional && cpu && !cpu.includes('wasm32') && engines ? [{ engines }] : [],
  );
}

type Version = readonly [major: number, minor: number];

/** The versions at which a range may start or end, and the versions before them. */
const edgesOf = (range: string): Version[] =>
  Array.from(
    range.matchAll(/(\d+)(?:\.(\d+))?/g),
    ([, major, minor]) => [Number(major), Number(minor ?? 0)] as const,
  ).flatMap(
    ([major, minor]) =>
      [
        [major - 1, 99],
        [major, minor - 1],
        [major, minor],
        [major + 1, 0],
      ] as const,
  );

/** Whether a range of the form `^20.19.0 || >=22.12.0` includes a version. */
const satisfies = ([major, minor]: Version, range: string): boolean =>
  range.split('||').some((part) => {
    const [, operator, ...lowest] = /^\s*(\^|>=)\s*(\d+)(?:\.(\d+))?(?:\.\d+)?\s*$/.exec(part) ?? [];
    if (!operator) throw new Error(`${range} is a range that this test cannot parse`);
    const [lowestMajor, lowestMinor] = lowest.map((digits) => Number(digits ?? 0)) as [number, number];
    const isAbove = major > lowestMajor || (major === lowestMajor && minor >= lowestMinor);
    return isAbove && (operator === '>=' || major === lowestMajor);
  });
