import type { GatewaySession } from '#shared/helper/protocol.ts';
import type { Encryption, Gateway } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import type { SecretFile, UnprivilegedCommand } from '../system/ports/engine-host-port.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';

/**
 * The engine talks to the gateway: an unprivileged process that carries packets between it and the tunnel's device. It
 * reads bytes from the network, so everything that it outputs is checked, and limited in size, number and time, before
 * it leaves this port.
 */
export interface EngineOptions {
  gateway: Gateway;
  /** The gateway's address; the engine does not look up names. */
  address: string;
  session: GatewaySession;
  device: string;
  /** Whether to read the routes that the gateway pushes; otherwise they are ignored. */
  wantsPushedRoutes: boolean;
  /** How to run a program as the engine's user. */
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;
  /** How to give it a secret. */
  secretFile(content: string): SecretFile;
  log: Log;
  /** The tunnel is up, or has new values. True if they have been applied; otherwise the engine ends. */
  onConfiguration(configuration: TunnelConfiguration): Promise<boolean>;
  /** The transport that carries the tunnel's packets from now on. */
  onTransport(transport: EngineTransport): void;
  /** How that transport is encrypted, whether or not it carries packets now. */
  onEncryption(transport: EngineTransport, encryption: Encryption): void;
}

export type EngineTransport = 'dtls' | 'tls';

/** Why an engine ended. */
export type EngineEnd =
  | 'absent'
  | 'gateway-unreachable'
  | 'certificate-refused'
  | 'session-refused'
  /** The gateway broke off before the tunnel was up, as it does without the right one, or the one given is unusable. */
  | 'client-certificate-refused'
  /** What the gateway assigned cannot be used, or could not be applied. */
  | 'configuration-failed'
  | 'connection-lost'
  | 'failed';

export interface Engine {
  /** Lets it start: it sends no packet before this. */
  release(): void;
  readonly ended: Promise<EngineEnd>;
  /** Logs the session off and ends, within little more than a second. */
  stop(): Promise<void>;
  /** Ends it at once; the session stays valid for another engine. */
  kill(): void;
}

/** Starts an engine, which then waits for `release`. */
export type LaunchEngine = (options: EngineOptions) => Engine;
