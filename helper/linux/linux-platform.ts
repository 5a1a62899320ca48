import { z } from 'zod/mini';
import { lockDirectory } from '#node/os/posix/directory-lock.ts';
import type { Platform } from '../system/ports/platform.ts';
import { findGroup } from './callers/accounts.ts';
import { createCallerIdentity, readUid } from './callers/caller-identity.ts';
import { linuxOptions } from './linux-options.ts';
import { createLinuxPorts } from './linux-ports.ts';
import { notifyReady } from './sd-notify.ts';

export const linuxPlatform: Platform = {
  options: {
    places: { socket: '/run/waymaker/helper.sock', stateDirectory: '/var/lib/waymaker' },
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
  notifyReady,
};
