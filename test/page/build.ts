// Builds the page once for all tests: what they look at is what is served.
import { execFileSync } from 'node:child_process';

export default function setup(): void {
  const { PATH } = process.env;
  execFileSync('npm', ['run', 'page'], { env: { PATH }, stdio: ['ignore', 'ignore', 'inherit'] }); // as for production
}
