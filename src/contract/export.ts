// export.csv: what goes in, what comes out.
import { z } from 'zod';
import { FORMATS } from './media-types.ts';
import { From, nameIn, parameters, To } from './parameters.ts';
import { levelsInput } from './periods.ts';

export const ExportInput = parameters({
  from: From,
  to: To,
  levels: levelsInput,
  format: nameIn(FORMATS)
    .meta({
      description:
        'The format of the file, for links in pages, which cannot send Accept; without both it is csv',
      examples: ['csv'],
    })
    .optional(),
});

/** Text of a file, in pieces. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({ override: { type: 'string' } });
