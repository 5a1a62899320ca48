import { z } from 'zod/mini';
import { lockDirectory } from './directory-lock.ts';
import { helperAddresses } from '#node/os/helper-address.ts';
import type { Platform } from '../system/ports/platform.ts';
import { createCallerIdentity, findGroup, readUser } from './callers/caller-identity.ts';
import { privateFiles } from './private-files.ts';
import { findSupervisor } from './service/service.ts';
import { stateFolder } from './state-folder.ts';
import { groupName, windowsOptions } from './windows-options.ts';
import { createWindowsPorts } from './windows-ports.ts';

export const windowsPlatform: Platform = {
  options: {
    usual: {
      socket: helperAddresses.win32,
      stateDirectory: stateFolder(),
      allowedGroup: 'interactive',
    },
    groupName,
    further: windowsOptions,
  },
  createPorts: createWindowsPorts,
  createCallerIdentity: async ({ allowedUsers, allowedGroup }) =>
    createCallerIdentity({ allowedUsers: allowedUsers.map(readUser), allowedGroup: findGroup(allowedGroup) }),
  lockDirectory,
  privateFiles,
  findSupervisor: ({ stateDirectory, ofSystem }) =>
    findSupervisor({ stateDirectory, runAs: z.parse(windowsOptions.schema, ofSystem)['run-as'] }),
};
