// The `record` command: turns sound from a file or standard input into points.
import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { alsoOf, alsoStation } from './also.ts';
import { calibrateCommand } from './calibrate.ts';
import { withCalibration } from './calibrations.ts';
import { recordFile } from './record-file.ts';
import { recordFolder } from './record-folder.ts';
import { declareRecord, type GivenRecord, readRecord } from './record-options.ts';
import { recordStream } from './record-stream.ts';
import type { RecorderIo } from './recorder-io.ts';

/** The action throws BadInput if the recording is at fault. */
export function recordCommand(open: () => RecorderIo): Command {
  const command = declareRecord(new Command('record')).usage('[options] <FILE>');
  // so that only `calibrate` reads the options after its name
  command.enablePositionalOptions().helpCommand(false).addCommand(calibrateCommand(open));
  return command.action(async (source: string, given: GivenRecord) => {
    const io = open();
    const read = readRecord(source, given, io.now(), command);
    const also = read.also && { ...io, ...io.at(alsoStation(read.also, io.station), true, io.station) };
    const options = await withCalibration(read, io);
    const second = alsoOf(options);
    try {
      if (options.source === '-') return await recordStream(options, io, also);
      const recordAll = (await isFolder(options.source)) ? recordFolder : recordFile;
      await recordAll(options, io);
      if (second && also) await recordAll(second, also);
    } finally {
      io.status(undefined);
    }
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
