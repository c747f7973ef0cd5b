// Preloaded into recorders: keeps a link to each segment that they write. A segment whose rename has not returned is
// `maybe`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';

const { WITNESS = '' } = process.env;
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  const isSegment = /^\d{16}-[0-9a-f]{16}\.\d+-\d+-\d+\.csv$/.test(basename(String(to)));
  const [maybe, known] = [
    join(WITNESS, `maybe-${basename(String(to))}`),
    join(WITNESS, basename(String(to))),
  ];
  if (isSegment) fs.linkSync(from, maybe);
  await rename(from, to);
  if (isSegment) fs.renameSync(maybe, known);
};
syncBuiltinESMExports();
