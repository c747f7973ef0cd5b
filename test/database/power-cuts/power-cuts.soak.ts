// The embedded database after power cuts: every acknowledged batch is there, once.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { temporaryFolder } from '../../process.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { cutAndOpen, record } from './recordings.ts';

const CUTS = soakNumber('CUTS', 4);
const seed = soakSeed();
const CUTS_OF_ONE_RECORDING = CUTS > 8 ? 4 : 2;

it(
  `The embedded database keeps every batch that it acknowledged, once, in ${CUTS} power cuts while created, filled, refreshed and recovered`,
  async () => {
    const random = seeded(seed);
    const bases = [
      { base: temporaryFolder(), held: 0, runs: [2] }, // a new database
      { base: temporaryFolder(), held: 0, runs: [12, 6] },
    ];
    mkdirSync(join(bases[1]?.base ?? '', 'data'));
    cpSync(inject('dataFolder'), join(bases[1]?.base ?? '', 'data'), { recursive: true });
    for (let cuts = 0; cuts < CUTS; ) {
      const { base, held, runs } = bases.shift() ?? expect.unreachable();
      const recording = await record(base, held, runs);
      for (let n = 0; n < CUTS_OF_ONE_RECORDING && cuts < CUTS; n++, cuts++) {
        const { left, stored } = await cutAndOpen(recording, seed, random, n === 0);
        if (n === 0) bases.push({ base: left, held: stored, runs: [4] });
        else rmSync(left, { recursive: true });
      }
    }
  },
  CUTS * 300_000,
);
