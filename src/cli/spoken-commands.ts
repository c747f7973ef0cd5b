// Rewrites the commands in messages as the user types them, for example in a container.

const SPOKEN =
  /npm (?:run (demo|migrate|key|record|import|delete|backup|restore|station|exclude|watch|<command>)|(start))( --)?/g;

/**
 * @param command the prefix that runs a command here, such as `docker compose run --rm migrate`
 * @returns a function that replaces `npm run` and `npm start` with the prefix, if there is one
 */
export function wordedFor(command: string | undefined): (text: string) => string {
  const words = command?.replace(/["\\\p{Cc}]/gu, '').trim(); // the log is JSON
  if (!words) return (text) => text;
  return (text) => text.replace(SPOKEN, (_, name?: string) => `${words} ${name ?? 'serve'}`);
}
