// The types of the packed package resolve as its code does.
import { expect, it, onTestFinished } from 'vitest';
import { createConsumerProject, run } from './consumer-project.ts';

it('The types of the packed package resolve as its code does', async ({ skip }) => {
  const project = await createConsumerProject();
  onTestFinished(project.remove);
  const attw = ['--yes', '--prefer-offline', '--fetch-retries=0', '@arethetypeswrong/cli@0.18.5'];
  const { stdout, stderr } = await run('npx', [...attw, project.file, '--format', 'ascii']).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  skip(/npm error (network|code E)/.test(stderr), 'attw cannot be downloaded: no registry can be reached');
  expect(stdout).toContain('No problems found');
});
