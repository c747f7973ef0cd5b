// Times of day in minutes. Apart from the schemas, which a page does without.

/** @returns the minute of the day of a time such as `22:00` */
export function minuteOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
