// The time zone of all that the page shows: that of the address, else that of the service.
import { currentView } from './view-in-address.ts';

export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

let ofService: string | undefined;

/** Keeps what `service.info` tells. */
export function setServiceZone(timeZone: string): void {
  ofService = timeZone;
}

/** The zone of the service; the browser's until it is known. */
export const serviceZone = () => ofService ?? BROWSER_ZONE;

export const timeZone = () => currentView().view.timeZone ?? serviceZone();
