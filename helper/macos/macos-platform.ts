import { z } from 'zod/mini';
import { helperAddresses } from '#node/os/helper-address.ts';
import { lockDirectory } from '../posix/directory-lock.ts';
import { runCommand } from '../posix/command.ts';
import { createSignalSupervisor } from '../posix/signal-supervisor.ts';
import type { Platform } from '../system/ports/platform.ts';
import { findGroup } from './callers/accounts.ts';
import { groupName } from '../posix/group-name.ts';
import { privateFiles } from '../posix/private-files.ts';
import { readUid } from '../posix/read-uid.ts';
import { createCallerIdentity } from './callers/caller-identity.ts';
import { createCodeSignatures } from './calls/code-signature.ts';
import { createCoreFoundation } from './calls/core-foundation.ts';
import { createGroupMemberships } from './calls/group-membership.ts';
import { createLibc } from './calls/libc.ts';
import { macosLibraries } from './calls/macos-calls.ts';
import { createLaunchdLog } from './launchd-log.ts';
import { macosOptions } from './macos-options.ts';
import { createMacosPorts } from './macos-ports.ts';

export const macosPlatform: Platform = {
  options: {
    usual: {
      socket: helperAddresses.darwin,
      stateDirectory: '/Library/Application Support/Waymaker/helper',
      allowedGroup: 'waymaker',
    },
    groupName,
    further: macosOptions,
  },
  createPorts: ({ ofSystem, expectUnchanged, log }) =>
    createMacosPorts(z.parse(macosOptions.schema, ofSystem), expectUnchanged, log),
  async createCallerIdentity({ allowedUsers, allowedGroup, ofSystem }) {
    const { system, coreFoundation, security } = macosLibraries;
    const { 'code-requirement': requirement } = z.parse(macosOptions.schema, ofSystem);
    const signatures = createCodeSignatures(createCoreFoundation(coreFoundation), security);
    const memberships = createGroupMemberships(system);
    return createCallerIdentity(
      { libc: createLibc(system), signatures, memberships },
      {
        allowedUids: allowedUsers.map(readUid),
        allowedGid: await findGroup(runCommand, allowedGroup),
        codeRequirement: requirement === '' ? undefined : requirement,
      },
    );
  },
  lockDirectory,
  privateFiles,
  // launchd does not wait for a word: who connects finds the socket, or not yet.
  findSupervisor: async () =>
    createSignalSupervisor({ writeLog: createLaunchdLog((line) => void process.stderr.write(line)) }),
};
