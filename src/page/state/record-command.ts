// The command that records into the station of a page.

/** @param path the path of the page: a station's ends with `/stations/NAME/`, whatever prefix a proxy adds */
export function commandToRecord(path: string): string {
  const [, name] = /\/stations\/([a-z][a-z0-9_]*)\/$/.exec(path) ?? [];
  const station = name === undefined || name === 'default' ? '' : ` --station ${name}`;
  return `arecord -f S16_LE -r 48000 -t raw | npm run record -- - --rate 48000 --format s16le${station}`;
}
