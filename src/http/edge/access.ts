// Access: which calls a caller may make. The edge checks before it reads a body, and each call is checked again where it runs.
import type { FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../../contract/batch-limits.ts';
import { DEFAULT_STATION } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../operations/context.ts';
import { routes } from '../../operations/internals/routes.ts';
import { unknown } from '../../operations/stations/stations.ts';
import { namesOf } from '../request-accounting.ts';
import { type KeyOwner, opens } from './api-keys.ts';

/** Whether a key opens an operation of a station. Every key may query all-station operations at the root. */
export function mayCall(operation: string, owner: KeyOwner | undefined, station: string): boolean {
  const { isProbe = false, group } = routes.get(operation) ?? {};
  return isProbe || opens(owner, station) || (group === 'stations' && station === DEFAULT_STATION);
}

/**
 * Admits the calls of a request by the path that tRPC executes: each call that the edge has counted under this name,
 * once, if its caller has access.
 */
export function admitCalls(request: FastifyRequest, areKeysNeeded: boolean): Context['admit'] {
  const { owner, station } = request;
  const counted = namesOf(request).slice(0, MAX_BATCH_SIZE);
  return (operation) => {
    if (areKeysNeeded && !owner && !routes.get(operation)?.isProbe)
      throw new AppError('UNAUTHORIZED', 'A key is required: send Authorization: Bearer KEY');
    if (!mayCall(operation, owner, station.name)) throw unknown(station.name);
    const index = counted.indexOf(operation);
    if (index === -1) throw new AppError('BAD_REQUEST', `The request does not name ${operation}`);
    counted.splice(index, 1);
  };
}
