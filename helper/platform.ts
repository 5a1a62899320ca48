import { findGroup } from './linux/callers/accounts.ts';
import { createCallerIdentity as createLinuxCallers, readUid } from './linux/callers/caller-identity.ts';
import { lockDirectory as lockLinuxDirectory } from '#node/os/posix/directory-lock.ts';
import { createLinuxPorts } from './linux/linux-ports.ts';
import { notifyReady as notifySystemd } from './linux/sd-notify.ts';
import type { Log } from './log.ts';
import type { CallerIdentity } from './system/ports/caller-identity-port.ts';
import type { Ports } from './system/ports/ports.ts';

/** The only file that asks which system this is. */
export interface Platform {
  createPorts(options: {
    engineUser: string;
    proxyUser: string;
    /** The name of the helper's own control group, on systems that have such groups. */
    controlGroup: string;
    log: Log;
  }): Ports;
  /**
   * Who may call, in addition to administrators: these users, in the system's notation, and the members of this group.
   */
  createCallerIdentity(policy: { allowedUsers: string[]; allowedGroup: string }): Promise<CallerIdentity>;
  /**
   * Locks a directory until this process ends, however it does. Resolves with false if another process has it; rejects
   * if it cannot be locked.
   */
  lockDirectory(directory: string): Promise<boolean>;
  /** Reports to the system's service manager that everything that must come before the network is done. */
  notifyReady(): void;
}

const platforms: Partial<Record<NodeJS.Platform, Platform>> = {
  linux: {
    createPorts: createLinuxPorts,
    createCallerIdentity: async ({ allowedUsers, allowedGroup }) =>
      createLinuxCallers({
        allowedUids: allowedUsers.map(readUid),
        allowedGid: await findGroup(allowedGroup),
      }),
    lockDirectory: lockLinuxDirectory,
    notifyReady: notifySystemd,
  },
};

/** Throws on systems without an adapter. */
export function findPlatform(): Platform {
  const platform = platforms[process.platform];
  if (!platform) throw new Error(`the helper does not run on ${process.platform} yet`);
  return platform;
}
