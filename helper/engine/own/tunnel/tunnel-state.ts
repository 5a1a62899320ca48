import type { ChannelEnd } from '../cstp/channel.ts';
import type { Tls } from './tls-side.ts';

type Renewal =
  | { at: 'none' }
  | { at: 'opening' }
  /** The gateway ends the old channels as soon as it reads the request. */
  | { at: 'asking' }
  /** The new ones are there, and the system is configured for them. */
  | { at: 'configuring' };

export interface Up {
  at: 'up';
  tls: Tls;
  /** Why the TLS connection has gone, if another one is being opened for that. */
  lost: ChannelEnd | undefined;
  renewal: Renewal;
  renewAt: number;
  /** How often in a row new keys could not be had. */
  renewalsInVain: number;
  /** Whether this TLS connection has taken the place of one that broke. */
  isOpenedAnew: boolean;
  /** Whether the system has been configured: before that, no packet passes. */
  isConfigured: boolean;
  /** What is sent waits here for the gateway's answer, or for the system. */
  held: Buffer[] | undefined;
  /** Until when it waits for DTLS. */
  holdUntil: number;
}

/** Of a tunnel, which `tunnel.ts` changes. */
export type State = { at: 'opening' } | Up | { at: 'ended' };
