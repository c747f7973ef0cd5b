// A receiver of messages: a webhook, an ntfy topic, an Apprise API, or an MQTT broker.
import type { Message } from '../contract/messages.ts';
import type { Unit } from '../contract/periods.ts';
import type { StationOverview } from '../operations/stations/contract.ts';

/** The current state of a station, for receivers that show it. */
export interface StationShown {
  readonly name: string;
  readonly place_name: string | null;
  readonly link: string;
  readonly state: StationOverview['state'];
  readonly time: string | null;
  /** The unit of the levels below. */
  readonly unit: Unit;
  readonly level_db: number | null;
  readonly leq_1h_db: number | null;
  /** The nominal frequency of the dominant third octave, Hz. */
  readonly band_hz: number | null;
  readonly night_leq_db: number | null;
  readonly night_state: 'over' | 'under' | 'undecided' | null;
  readonly noise_event: boolean;
  /** Whether no point has come within --silent-after, or ever. */
  readonly recorder_problem: boolean;
}

export interface Receiver {
  /** For people and logs, such as `https://example.com`: without credentials and other secrets. */
  readonly name: string;
  /** Resolves when the receiver has accepted the message. @throws Error with the reason if it has not */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Shows the current state of all stations. A station that is missing disappears. */
  show?(stations: readonly StationShown[]): void;
  close?(): Promise<void>;
}

export interface ReceiverIo {
  readonly webhookSecret?: string | undefined;
  readonly ntfyToken?: string | undefined;
  readonly version?: string | undefined;
  /** Whether one message is all: a broker then retains nothing. */
  readonly isTest?: boolean;
  say(line: string): void;
}
