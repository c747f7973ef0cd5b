// Preloaded by services of tests: other tests may delay the event loop, so no request is refused for that.
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';

const { monitorEventLoopDelay } = perfHooks;
perfHooks.monitorEventLoopDelay = (options) =>
  Object.defineProperty(monitorEventLoopDelay(options), 'mean', { value: 0 });
syncBuiltinESMExports();
