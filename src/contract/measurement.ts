// The measurement record of a station: with what, where and by whom it measures.
import { z } from 'zod';

const text = (description: string) => z.string().nullable().meta({ description });
const metres = (description: string) => z.number().nullable().meta({ description });

export const Measurement = z
  .object({
    position: text('The place of the microphone, such as a window sill on the second floor'),
    height_m: metres('The height of the microphone above the ground, in metres'),
    facade_distance_m: metres('The distance of the microphone to the nearest facade, in metres'),
    microphone: text('The microphone, with its serial number'),
    sound_card: text('The sound card, with its serial number'),
    calibrator: text('The sound calibrator, with its serial number'),
    windscreen: text('The windscreen'),
    operator: text('The person or the office that measures'),
  })
  .meta({ id: 'Measurement', description: 'The measurement record. A field is null if nobody has set it' });
export type Measurement = Readonly<z.infer<typeof Measurement>>;

/** As the database and backups hold it: the fields that are known. */
export const KeptMeasurement = Measurement.partial();
export type KeptMeasurement = Readonly<z.infer<typeof KeptMeasurement>>;

const UNKNOWN = Object.fromEntries(Measurement.keyof().options.map((field) => [field, null]));

/** With null for each field that is missing. */
export const measurementOf = (kept: KeptMeasurement | null | undefined): Measurement =>
  Measurement.parse({ ...UNKNOWN, ...kept });
