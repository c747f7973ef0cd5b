// export.csv: what goes in, what comes out.
import { z } from 'zod';
import { From, parameters, To } from './parameters.ts';

export const ExportInput = parameters({ from: From, to: To });

/** Text of a file, in pieces. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({ override: { type: 'string' } });
