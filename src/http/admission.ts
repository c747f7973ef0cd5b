// Admission: which calls wait for a place, so that much work for some leaves enough for the short questions of all.
import { availableParallelism } from 'node:os';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Leave, Places, type PlacesOptions } from '../procedures/places.ts';
import { declarations, pointsAsked } from '../procedures/router.ts';
import type { Context } from '../procedures/trpc.ts';
import { isBusy } from '../turns.ts';
import { callerOf, leavingOf } from './caller.ts';
import type { Outgoing } from './outgoing.ts';

/** What reads or sends more points than this is heavy. */
const LIGHT_POINTS = 1000;

/** One processor less than there are, which is left to the short ones; the database's machine is taken to have as many. */
const DEFAULT_HEAVY_PLACES = Math.min(Math.max(availableParallelism() - 1, 1), 4);

export interface AdmissionOptions {
  /** How many heavy questions are answered at a time: large pages, charts, statistics of an hour and longer. */
  readonly heavyPlaces?: number;
  /** How many exports run at a time. */
  readonly exportPlaces?: number;
  /** How many of them may be one caller's. */
  readonly exportsPerCaller?: number;
  /** How many of each kind may wait for a place. */
  readonly maxWaiting?: number;
  /** How long they may wait, in milliseconds. */
  readonly maxWaitMs?: number;
}

export interface Admission {
  readonly heavy: Places;
  readonly exports: Places;
  /** How many calls of a heavy batch are answered at a time. */
  readonly callsAtATime: number;
  /** What a call of this request waits for; in a batch that has a place, only exports. */
  enter(request: FastifyRequest, hasPlace: boolean): Context['enter'];
  /**
   * Waits for the one place of a heavy batch, before its calls begin; undefined for a light one.
   *
   * @throws AppError SERVICE_UNAVAILABLE
   */
  enterBatch(
    request: FastifyRequest,
    paths: readonly string[],
    inputs: readonly unknown[],
  ): Promise<Leave> | undefined;
  /** Watches the reader of a stream, who gives way where it is slow and others wait for what it holds. */
  stream(reply: FastifyReply, paths: readonly string[]): void;
}

export function createAdmission(options: AdmissionOptions, outgoing: Outgoing): Admission {
  const { heavyPlaces = DEFAULT_HEAVY_PLACES, exportPlaces = 4, exportsPerCaller = 2 } = options;
  const queue: Pick<PlacesOptions, 'maxWaiting' | 'maxWaitMs'> = {
    maxWaiting: options.maxWaiting ?? 100,
    maxWaitMs: options.maxWaitMs ?? 40_000,
  };
  const heavy = new Places({ size: heavyPlaces, hasRoom: () => outgoing.hasRoom() && !isBusy(), ...queue });
  const exports = new Places({ size: exportPlaces, perCaller: exportsPerCaller, ...queue });
  return {
    heavy,
    exports,
    callsAtATime: Math.min(heavyPlaces, 2),
    enter: (request, hasPlace) => (path, input, signal) => {
      const { streamed, points } = declarations.get(path) ?? {};
      if (streamed) return exports.enter(callerOf(request), signal);
      const isHeavy = !hasPlace && points !== undefined && points(input as never) > LIGHT_POINTS;
      return isHeavy ? heavy.enter(callerOf(request), signal) : undefined;
    },
    stream(reply, paths) {
      const exporting = paths.some((path) => declarations.get(path)?.streamed);
      const answering = paths.some((path) => !declarations.get(path)?.streamed);
      outgoing.watch(reply, () => (exporting && exports.waiting > 0) || (answering && outgoing.isShort()));
    },
    enterBatch(request, paths, inputs) {
      const points = paths.reduce((sum, path, i) => sum + pointsAsked(path, inputs[i]), 0);
      return points > LIGHT_POINTS ? heavy.enter(callerOf(request), leavingOf(request)) : undefined;
    },
  };
}
