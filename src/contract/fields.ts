// The fields of answers by kind. Each description is the text of the OpenAPI document.
import { z } from 'zod';
import { Instant } from './parameters.ts';

export const text = (description: string) => z.string().meta({ description });
export const textOrNull = (description: string) => z.string().nullable().meta({ description });
export const bool = (description: string) => z.boolean().meta({ description });
export const instant = (description: string) => Instant.meta({ description });
export const instantOrNull = (description: string) => Instant.nullable().meta({ description });

export const number = (description: string) => z.number().meta({ description });

/** A number; null if there is nothing to measure, or if it is unknown. */
export const figure = (description: string) => z.number().nullable().meta({ description });

export const count = (description: string) => z.int().min(0).meta({ description });

/** A share in percent, null as a {@link figure} is. */
export const share = (description: string) => z.number().min(0).max(100).nullable().meta({ description });
