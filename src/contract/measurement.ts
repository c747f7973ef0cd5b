// The measurement record of a station: instruments, position of the microphone, and operator.
import { z } from 'zod';

const text = (description: string) => z.string().nullable().meta({ description });
const metres = (description: string) => z.number().nullable().meta({ description });

export const Measurement = z
  .object({
    position: text('The position of the microphone, such as a window sill on the second floor'),
    height_m: metres('The height of the microphone above the ground, in metres'),
    facade_distance_m: metres('The distance from the microphone to the nearest facade, in metres'),
    microphone: text('The microphone, with its serial number'),
    sound_card: text('The sound card, with its serial number'),
    calibrator: text('The sound calibrator, with its serial number'),
    windscreen: text('The windscreen'),
    operator: text('The person or office that measures'),
  })
  .meta({ id: 'Measurement', description: 'The measurement record. Fields that nobody has set are null' });
export type Measurement = Readonly<z.infer<typeof Measurement>>;

/** The record in the database and in backups, without the fields that nobody has set. */
export const KeptMeasurement = Measurement.partial();
export type KeptMeasurement = Readonly<z.infer<typeof KeptMeasurement>>;

const UNKNOWN = Object.fromEntries(Measurement.keyof().options.map((field) => [field, null]));

/** Sets missing fields to null. */
export const measurementOf = (kept: KeptMeasurement | null | undefined): Measurement =>
  Measurement.parse({ ...UNKNOWN, ...kept });
