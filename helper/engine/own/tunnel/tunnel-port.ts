import type { Duplex } from 'node:stream';
import type { ChannelEnd, ConnectOutcome } from '../cstp/channel.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';
import type { CipherSuite } from '#node/anyconnect/dtls/cipher-suites.ts';
import type { OpenDatagrams } from './datagram-port.ts';

/** A TLS connection to the gateway, whose other end has been verified. */
export interface SecureConnection {
  socket: Duplex;
  /** The gateway's, or that of the proxy before it. */
  address: string;
  /**
   * It was made some time ago, and may have ended without a word since: for so many milliseconds, it alone is asked for
   * a tunnel, and then another one is opened beside it.
   */
  heldPatienceMs?: number | undefined;
  /** Keying material for DTLS (RFC 5705, RFC 8446 §7.5). */
  exportKey(): Buffer;
}

export interface TunnelOptions {
  /** The gateway's name for the Host header; undefined: its address. */
  host: string | undefined;
  port: number;
  cookie: string;
  userAgent: string;
  /** The largest packet on the link to the gateway, in bytes. */
  linkMtu: number;
  /** The largest packet that is known to pass inside the tunnel. */
  mtu: number | undefined;
  roundTripMs: number;
  /** Whether datagrams can get to the gateway. */
  usesDatagrams: boolean;
  /** Undefined: no connection was made, and whoever opens it knows why. */
  openTls(): Promise<SecureConnection | undefined>;
  openDatagrams(address: string, port: number): OpenDatagrams;
  listener: TunnelListener;
}

export interface TunnelListener {
  /** A packet for this machine, which nobody changes any more. */
  onPacket(packet: Buffer): void;
  /** The gateway has given this; true when the system has been configured with it. */
  onConfiguration(answer: ConnectAnswer, mtu: number): Promise<boolean>;
  /** It has granted a tunnel, for the first time or with new keys: its answer, whatever is configured of it. */
  onGranted?(answer: ConnectAnswer): void;
  /** The tunnel is not busy any more. */
  onRoom?(): void;
  /** The channel that carries packets from now on. */
  onTransport(transport: 'tls' | 'dtls'): void;
  onDtlsEncryption(suite: CipherSuite): void;
  /** For the log: one of a few words, and more about it. */
  onNote(note: TunnelNote, detail?: string): void;
  /** Told once, unless `leave` or `close` ended it. */
  onEnd(end: TunnelEnd): void;
}

export type TunnelNote =
  | 'asking for a tunnel'
  | 'DTLS is not used'
  | 'DTLS has ended'
  | 'DTLS is silent'
  | 'the path carries smaller packets'
  | 'TLS has ended, and is opened anew'
  | 'new keys'
  | 'no new keys'
  | 'the connection that was held does not answer';

export type TunnelEnd =
  | { kind: 'not-opened' }
  | { kind: 'not-granted'; outcome: Exclude<ConnectOutcome, { kind: 'granted' }> }
  | { kind: 'not-configured' }
  | { kind: 'ended'; by: ChannelEnd }
  /** The gateway has not answered for long. */
  | { kind: 'dead' };

export interface Tunnel {
  /** The packet must not be changed afterwards. */
  send(packet: Buffer): void;
  /** Whether packets wait, for TLS or for the gateway's answer; `onRoom` tells when they do so no more. */
  isBusy(): boolean;
  /** Ends the session at the gateway; resolves when it has been told. */
  leave(): Promise<void>;
  /** Ends the tunnel; the session stays valid. */
  close(): void;
}
