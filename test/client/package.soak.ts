// The types of the packed package: as its code resolves, and the same as the router's. Each takes seconds to compile.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsumerProject, createConsumerProject, run } from './consumer-project.ts';

describe('the types of the packed package', () => {
  let project: ConsumerProject;
  beforeAll(async () => {
    project = await createConsumerProject();
  });
  afterAll(() => project?.remove());

  it('resolve as its code does', async ({ skip }) => {
    const attw = ['--yes', '--prefer-offline', '--fetch-retries=0', '@arethetypeswrong/cli@0.18.5'];
    const { stdout, stderr } = await run('npx', [...attw, project.file, '--format', 'ascii']).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    skip(/npm error (network|code E)/.test(stderr), 'no registry can be reached, which has attw');
    expect(stdout).toContain('No problems found');
  });

  it('infer of every procedure what the router of the service infers', () => {
    const source = readFileSync(new URL('same-types.ts', import.meta.url), 'utf8')
      .replace('../../src/client/index.ts', 'audio-metrics')
      .replace('../../src', relative(project.folder, 'src'));
    project.write('same-types.ts', source);
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
    const typeRoots = [join(process.cwd(), 'node_modules/@types')];
    expect(project.compile(['same-types.ts'], { ...compilerOptions, typeRoots })).toBe('');
  });
});
