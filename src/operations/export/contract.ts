// export.csv: input and output.
import { z } from 'zod';
import { FORMATS } from '../../contract/media-types.ts';
import { fromTo, nameIn, parameters } from '../../contract/parameters.ts';
import { levelsInput } from '../../contract/periods.ts';

export const ExportInput = parameters({
  ...fromTo,
  levels: levelsInput,
  format: nameIn(FORMATS)
    .meta({
      description:
        'The format of the file. This parameter is for links on web pages, because they cannot set the Accept header. Without `format` and Accept, the file is CSV',
      examples: ['csv'],
    })
    .optional(),
});

/** The text of a file, in chunks. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({ override: { type: 'string' } });
