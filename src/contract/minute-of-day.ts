// Times of day such as `22:00`, apart from their schemas: the page would have to carry zod along.

/** @returns the minute of the day of a time such as `22:00` */
export function minuteOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
