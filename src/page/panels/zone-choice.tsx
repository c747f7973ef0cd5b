// Which time zone the page is in: that of the service, or another one, which the address keeps.
import { zoneText } from '../locale-format.ts';
import { BROWSER_ZONE, serviceZone, timeZone } from '../state/time-zone.ts';
import { changeView } from '../state/view-in-address.ts';

export function ZoneChoice({ at }: { at: number }) {
  const zones = [...new Set([serviceZone(), BROWSER_ZONE, 'UTC', timeZone()])];
  return (
    <label>
      All times are of {zoneText(at)}. Show those of{' '}
      <select
        value={timeZone()}
        onChange={({ target: { value } }) =>
          changeView({ timeZone: value === serviceZone() ? null : value }, { step: false })
        }
      >
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone}
            {zone === serviceZone() && ' (the microphone)'}
          </option>
        ))}
      </select>
    </label>
  );
}
