import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

it('the devcontainer runs scripts of package.json, on the Node.js version of the project', () => {
  const container = read('.devcontainer/devcontainer.json');
  const { scripts, devDependencies } = read('package.json');
  const [, script = ''] = /^npm run (\w+)$/.exec(container.postAttachCommand) ?? [];
  expect(Object.keys(scripts)).toContain(script);
  expect(container.postCreateCommand).toBe('npm ci');
  expect(container.image).toBe(`node:${/\d+/.exec(devDependencies.node)}`);
  expect(container.forwardPorts).toEqual([3000]);
});
