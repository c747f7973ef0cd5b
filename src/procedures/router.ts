// Every operation of the service. Both transports serve this router and nothing else.
import { audio } from './audio.ts';
import { events } from './events.ts';
import { csvExport } from './export.ts';
import { health } from './health.ts';
import { stats } from './stats.ts';
import { router } from './trpc.ts';

export const appRouter = router({ audio, stats, events, export: csvExport, health });
export type AppRouter = typeof appRouter;
