// export.csv: input and output.
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
        'The format of the file, for links on web pages, which cannot set the header Accept. Without format and Accept, it is csv',
      examples: ['csv'],
    })
    .optional(),
});

/** The text of a file, in chunks. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({ override: { type: 'string' } });
