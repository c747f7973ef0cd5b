// Admission: which calls wait for a place, so that much work for some leaves enough for the short questions of all.
import { availableParallelism } from 'node:os';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBusy } from '../load/event-loop-queue.ts';
import { type Leave, Places, type PlacesOptions } from '../load/fair-queue.ts';
import type { Outgoing } from '../load/slow-readers.ts';
import { declarations, pointsAsked } from '../procedures/router.ts';
import type { Context } from '../procedures/trpc.ts';
import { callerOf, leavingOf } from './caller.ts';

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
  /** How many streams of events are open at a time. */
  readonly maxStreams?: number;
  /** How many of them may be one caller's. */
  readonly streamsPerCaller?: number;
  /** How many of each kind may wait for a place. */
  readonly maxWaiting?: number;
  /** How long they may wait, in milliseconds. */
  readonly maxWaitMs?: number;
}

export interface Admission {
  readonly heavy: Places;
  readonly exports: Places;
  /** Of streams, which do not wait. */
  readonly streams: Places;
  /** What a call of this request waits for; in a batch that has a place, only exports. */
  enter(request: FastifyRequest, hasPlace: boolean): Context['enter'];
  /** The one place of a heavy batch, to wait for before its calls begin; undefined for a light one. */
  enterBatch(
    request: FastifyRequest,
    paths: readonly string[],
    inputs: readonly unknown[],
  ): BatchPlace | undefined;
  /** Watches the reader of a stream, who gives way where it is slow and others wait for what it holds. */
  stream(reply: FastifyReply, paths: readonly string[]): void;
}

export interface BatchPlace {
  /** Rejects with AppError SERVICE_UNAVAILABLE. */
  readonly entered: Promise<Leave>;
  /** How many of its calls are answered at a time: more of small ones. */
  readonly callsAtATime: number;
}

/** How many calls of a batch that has a place are answered at a time, if they are small. */
const SMALL_CALLS = 4;

export function createAdmission(options: AdmissionOptions, outgoing: Outgoing): Admission {
  const { heavyPlaces = DEFAULT_HEAVY_PLACES, exportPlaces = 4, exportsPerCaller = 2 } = options;
  const queue: Pick<PlacesOptions, 'maxWaiting' | 'maxWaitMs'> = {
    maxWaiting: options.maxWaiting ?? 100,
    maxWaitMs: options.maxWaitMs ?? 40_000,
  };
  const heavy = new Places({ size: heavyPlaces, hasRoom: () => outgoing.hasRoom() && !isBusy(), ...queue });
  const exports = new Places({ size: exportPlaces, perCaller: exportsPerCaller, ...queue });
  const { maxStreams = 1000, streamsPerCaller = 100 } = options;
  const streams = new Places({ size: maxStreams, perCaller: streamsPerCaller, maxWaiting: 0, maxWaitMs: 0 });
  return {
    heavy,
    exports,
    streams,
    enter: (request, hasPlace) => (path, input, signal) => {
      const { isStreamed, points } = declarations.get(path) ?? {};
      if (isStreamed) return exports.enter(callerOf(request), signal);
      const isHeavy = !hasPlace && points !== undefined && points(input as never) > LIGHT_POINTS;
      return isHeavy ? heavy.enter(callerOf(request), signal) : undefined;
    },
    stream(reply, paths) {
      const exporting = paths.some((path) => declarations.get(path)?.isStreamed);
      const answering = paths.some((path) => !declarations.get(path)?.isStreamed);
      outgoing.watch(reply, () => (exporting && exports.waiting > 0) || (answering && outgoing.isShort()));
    },
    enterBatch(request, paths, inputs) {
      const points = paths.map((path, i) => pointsAsked(path, inputs[i]));
      if (points.reduce((sum, one) => sum + one, 0) <= LIGHT_POINTS) return undefined;
      const areSmall = Math.max(...points) * SMALL_CALLS <= LIGHT_POINTS;
      return {
        entered: heavy.enter(callerOf(request), leavingOf(request)),
        callsAtATime: areSmall ? SMALL_CALLS : Math.min(heavyPlaces, 2),
      };
    },
  };
}
