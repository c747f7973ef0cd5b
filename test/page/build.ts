// Builds the page once for all tests, so that they test the served files.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export async function buildPage(): Promise<void> {
  const { PATH } = process.env;
  await promisify(execFile)('npm', ['run', 'page'], { env: { PATH } }); // as for production
}
