import type { GatewaySession } from '#shared/helper/protocol.ts';
import type { Encryption, Gateway } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import type { UnprivilegedCommand } from '../system/system-adapter.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';

/**
 * What speaks to the gateway: an unprivileged process that carries packets between it and the tunnel's device. It
 * reads bytes from the network, so everything that it says is checked, and bounded in size, number and time, before
 * it comes out of this port.
 */
export interface EngineOptions {
  gateway: Gateway;
  /** The gateway's address; the engine looks no name up. */
  address: string;
  session: GatewaySession;
  device: string;
  /** Whether routes that the gateway pushes are wanted; else it may push what it likes. */
  wantsPushedRoutes: boolean;
  /** How to run a program as the engine's user. */
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;
  log: Log;
  /** The tunnel is up, or up again with other values; true if they have been applied, else the engine ends. */
  onConfiguration(configuration: TunnelConfiguration): Promise<boolean>;
  /** Which of the two carries the tunnel's packets from now on. */
  onTransport(transport: EngineTransport): void;
  /** By what that transport is encrypted, whether or not it carries the packets now. */
  onEncryption(transport: EngineTransport, encryption: Encryption): void;
}

export type EngineTransport = 'dtls' | 'tls';

/** Why an engine ended. */
export type EngineEnd =
  | 'absent'
  | 'gateway-unreachable'
  | 'certificate-refused'
  | 'session-refused'
  /** What the gateway assigned cannot be used, or was not applied. */
  | 'configuration-failed'
  | 'connection-lost'
  | 'failed';

export interface Engine {
  /** Lets it go: it sends no packet before. */
  release(): void;
  readonly ended: Promise<EngineEnd>;
  /** Logs the session off and ends, within little more than a second. */
  stop(): Promise<void>;
  /** Ends it at once; the session stays good for another engine. */
  kill(): void;
}

/** Starts an engine, which then waits for `release`. */
export type LaunchEngine = (options: EngineOptions) => Engine;
