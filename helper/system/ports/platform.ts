import type { Log } from '../../log.ts';
import type { CallerIdentity } from './caller-identity-port.ts';
import type { Schema } from '../schema.ts';
import type { Ports } from './ports.ts';

/** Everything that the helper needs of a system. */
export interface Platform {
  options: SystemOptions;
  /** `expectUnchanged` is called before one of our own programs is started; throws if its file may not be used any more. */
  createPorts(options: { ofSystem: FurtherOptions; expectUnchanged: () => void; log: Log }): Ports;
  /**
   * Who may call, in addition to administrators: these users, in the system's notation, and the members of this group,
   * as far as the system's own options do not say more.
   */
  createCallerIdentity(policy: {
    allowedUsers: string[];
    allowedGroup: string;
    ofSystem: FurtherOptions;
  }): Promise<CallerIdentity>;
  /**
   * Locks a directory until this process ends, however it does. Resolves with false if another process has it; rejects
   * if it cannot be locked.
   */
  lockDirectory(directory: string): Promise<boolean>;
  /** Reports to the system's service manager that everything that must come before the network is done. */
  notifyReady(): void;
}

/** A system's part of the helper's command line. */
export interface SystemOptions {
  /** Where the socket and the state directory are, unless the command line says otherwise. */
  places: { socket: string; stateDirectory: string };
  /** Options that only this system has. */
  further: { schema: Schema<FurtherOptions>; defaults: FurtherOptions };
}

/** Values of those options, by their names. */
export type FurtherOptions = Readonly<Record<string, string>>;
