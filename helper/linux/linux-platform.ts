import { z } from 'zod/mini';
import { helperAddresses } from '#node/os/helper-address.ts';
import { lockDirectory } from '../posix/directory-lock.ts';
import type { Platform } from '../system/ports/platform.ts';
import { findGroup } from './callers/accounts.ts';
import { groupName } from '../posix/group-name.ts';
import { privateFiles } from '../posix/private-files.ts';
import { readUid } from '../posix/read-uid.ts';
import { createCallerIdentity } from './callers/caller-identity.ts';
import { linuxOptions } from './linux-options.ts';
import { createLinuxPorts } from './linux-ports.ts';
import { findSupervisor } from './systemd.ts';

export const linuxPlatform: Platform = {
  options: {
    usual: {
      socket: helperAddresses.linux,
      stateDirectory: '/var/lib/waymaker',
      allowedGroup: 'waymaker',
    },
    groupName,
    further: linuxOptions,
  },
  createPorts: ({ ofSystem, expectUnchanged, log }) =>
    createLinuxPorts(z.parse(linuxOptions.schema, ofSystem), expectUnchanged, log),
  createCallerIdentity: async ({ allowedUsers, allowedGroup }) =>
    createCallerIdentity({
      allowedUids: allowedUsers.map(readUid),
      allowedGid: await findGroup(allowedGroup),
    }),
  lockDirectory,
  privateFiles,
  findSupervisor,
};
