// Words the commands in messages as whoever reads them types them.

const SPOKEN =
  /npm (?:run (demo|migrate|key|record|import|delete|backup|restore|station|exclude|watch|<command>)|(start))( --)?/g;

/**
 * @param command what runs a command here, before its name, such as `docker compose run --rm migrate`
 * @returns what puts it in the place of `npm run` and `npm start`; npm's where none is given
 */
export function wordedFor(command: string | undefined): (text: string) => string {
  const words = command?.replace(/["\\\p{Cc}]/gu, '').trim(); // the log is JSON
  if (!words) return (text) => text;
  return (text) => text.replace(SPOKEN, (_, name?: string) => `${words} ${name ?? 'serve'}`);
}
