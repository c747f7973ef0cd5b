import { it } from 'vitest';
import { readSlowly } from './slow-reader.ts';

it.each(['br', 'zstd'])(
  'An export in %s waits for a slow reader, and ends when the reader leaves',
  readSlowly,
);
