import path from 'node:path';
import { z } from 'zod/mini';
import { lockDirectory } from '#node/os/windows/directory-lock.ts';
import { programDataFolder } from '#node/os/windows/known-folders.ts';
import { helperAddress } from '#node/os/helper-address.ts';
import type { Platform } from '../system/ports/platform.ts';
import { createCallerIdentity, findGroup, readUser } from './callers/caller-identity.ts';
import { findSupervisor } from './service/service.ts';
import { windowsOptions } from './windows-options.ts';
import { createWindowsPorts } from './windows-ports.ts';

export const windowsPlatform: Platform = {
  options: {
    usual: {
      socket: helperAddress.pipe,
      stateDirectory: path.join(programDataFolder(), 'Waymaker'),
      allowedGroup: 'interactive',
    },
    further: windowsOptions,
  },
  createPorts: createWindowsPorts,
  createCallerIdentity: async ({ allowedUsers, allowedGroup }) =>
    createCallerIdentity({ allowedUsers: allowedUsers.map(readUser), allowedGroup: findGroup(allowedGroup) }),
  lockDirectory,
  findSupervisor: ({ stateDirectory, ofSystem }) =>
    findSupervisor({ stateDirectory, runAs: z.parse(windowsOptions.schema, ofSystem)['run-as'] }),
};
