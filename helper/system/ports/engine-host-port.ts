import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { EngineKind } from '#shared/helper/protocol.ts';
import type { GatewayEndpoint } from '../../network/gateway-endpoint.ts';

/** How the unprivileged engine runs on this machine. */
export interface EngineHost {
  /** Whether the engine and its user are installed. */
  isAvailable(engine: EngineKind): Promise<boolean>;
  /** How to run a program as the engine's user, so that it ends when the helper does. */
  command(program: string, args: readonly string[]): UnprivilegedCommand;
  /** How to run our own engine's program, which ends with the helper. */
  ownCommand(): UnprivilegedCommand;
  /** A file for a secret that such a program inherits. */
  secretFile(content: string): SecretFile;
  /** A TCP connection that takes the engine's route; the socket reports whether it succeeds. */
  connect(gateway: GatewayEndpoint): Socket;
  /** The MTU of the link that leads to this address, in bytes; undefined if that cannot be found out. */
  linkMtu(address: string): Promise<number | undefined>;
  /**
   * The port of this address to which the engine sends datagrams, as the system sees it; undefined if it sends none, or
   * that cannot be found out.
   */
  datagramPort(address: string): Promise<number | undefined>;
  /**
   * How long the gateway at this address takes to answer, in milliseconds, as the system has measured it on the
   * engine's connection; undefined if that cannot be found out.
   */
  roundTripMs(address: string): Promise<number | undefined>;
  /** Ends what an earlier helper left running. */
  endLeftOver(): Promise<void>;
}

/** A program with its arguments and environment, for `spawn`. */
export interface UnprivilegedCommand {
  file: string;
  args: string[];
  environment: Record<string, string>;
  /** Starts it instead of `spawn`, where that cannot take rights away. Throws if it cannot be started. */
  start?: (stdio: readonly ProgramStdio[]) => ProgramProcess;
}

/** What a program gets at one of its descriptors, with the words of `spawn`. */
export type ProgramStdio = 'ignore' | 'pipe' | 'overlapped' | number;

/** A process, as far as it is used of what `spawn` returns. */
export interface ProgramProcess {
  readonly pid?: number | undefined;
  /** This process's ends of its pipes, in the places of its descriptors. */
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  kill(signal: 'SIGKILL'): boolean;
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  /** It has ended, and all that it has said has been read. */
  once(event: 'close', listener: (code: number | null, signal: string | null) => void): unknown;
}

/** A file in memory without a name, readable only by processes that inherit its descriptor, until it is disposed. */
export interface SecretFile extends Disposable {
  readonly descriptor: number;
  /** How a process opens it that inherited it as the descriptor `inherited`. */
  pathIn(inherited: number): string;
}
