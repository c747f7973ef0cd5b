// Times of day in minutes. Kept out of the schema files, so a page need not load zod.

/** @returns minutes since midnight of a time such as `22:00` */
export function minuteOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
