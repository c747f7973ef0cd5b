// A receiver of messages: an HTTP server, a topic of ntfy, or an MQTT broker.
import type { Message } from '../contract/messages.ts';
import type { Unit } from '../contract/periods.ts';
import type { StationOverview } from '../contract/stations.ts';

/** What a station measures now, for receivers that show it. */
export interface StationShown {
  readonly name: string;
  readonly place_name: string | null;
  /** Its page. */
  readonly link: string;
  readonly state: StationOverview['state'];
  /** The time of its newest point. */
  readonly time: string | null;
  /** Of the levels here. */
  readonly unit: Unit;
  readonly level_db: number | null;
  readonly leq_1h_db: number | null;
  /** The nominal frequency of the third octave that is dominant now, Hz. */
  readonly band_hz: number | null;
  readonly night_leq_db: number | null;
  readonly night_state: 'over' | 'under' | 'undecided' | null;
  /** Whether a noise event is under way. */
  readonly noise_event: boolean;
  /** Whether no point has come for --silent-after, or ever. */
  readonly recorder_problem: boolean;
}

export interface Receiver {
  /** For people and logs, without credentials and without what may be a secret, such as `https://example.com`. */
  readonly name: string;
  /** Settles when the receiver has taken the message. @throws Error with the reason if it has not */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Shows what all stations measure now. Those that it showed before and that are missing are gone. */
  show?(stations: readonly StationShown[]): void;
  close(): Promise<void>;
}

/** What a receiver needs of the process. */
export interface ReceiverIo {
  readonly webhookSecret?: string | undefined;
  readonly ntfyToken?: string | undefined;
  /** Of this program. */
  readonly version?: string | undefined;
  /** Shows a line to the operator. */
  say(line: string): void;
}
