import type { Log } from '../../log.ts';
import type { CallerIdentity } from './caller-identity-port.ts';
import type { Schema } from '../schema.ts';
import type { Ports } from './ports.ts';
import type { PrivateFiles } from './private-files-port.ts';
import type { Supervisor } from './supervisor-port.ts';

/** Everything that the helper needs of a system. */
export interface Platform {
  options: SystemOptions;
  /**
   * `expectUnchanged` is called before one of our own programs is started; throws if its file may not be used any more.
   */
  createPorts(options: {
    ofSystem: FurtherOptions;
    stateDirectory: string;
    expectUnchanged: () => void;
    log: Log;
  }): Ports;
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
  /** Files with secrets of the helper's own. */
  privateFiles: PrivateFiles;
  /** Resolves, as soon as it is known, with what has started this process; for one that serves. */
  findSupervisor(options: { stateDirectory: string; ofSystem: FurtherOptions }): Promise<Supervisor>;
}

/** A system's part of the helper's command line. */
export interface SystemOptions {
  /** Unless the command line says otherwise. */
  usual: { socket: string; stateDirectory: string; allowedGroup: string };
  /** What a group may be called here. */
  groupName: RegExp;
  /** Options that only this system has. */
  further: { schema: Schema<FurtherOptions>; defaults: FurtherOptions };
}

/** Values of those options, by their names. */
export type FurtherOptions = Readonly<Record<string, string>>;
