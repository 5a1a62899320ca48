import * as adapters from '#node/os/windows/adapter-structures.ts';
import { accessTokenConstants, pseudoHandles } from '#node/os/windows/access-token.ts';
import { GUID, type Guid } from '#node/os/windows/guid.ts';
import { handleConstants } from '#node/os/windows/last-error.ts';
import { directoryConstants } from '#node/os/windows/private-directory.ts';
import { descriptorConstants } from '#node/os/windows/security-descriptor.ts';
import { identifierConstants } from '#node/os/windows/security-identifier.ts';
import * as security from '#node/os/windows/security-structures.ts';
import { SERVICE_STATUS } from '#node/os/windows/service-status.ts';
import type { Structure } from '#node/os/windows/structure.ts';
import { registryRoots, userRegistryConstants } from '#node/os/windows/user-registry.ts';
import { accessConstants } from '../../../../helper/windows/access-list.ts';
import { pipeRights } from '../../../../helper/windows/callers/caller-identity.ts';
import { pipeConstants } from '../../../../helper/windows/calls/create-pipe.ts';
import { fileCodes, fileConstants } from '../../../../helper/windows/calls/file-calls.ts';
import * as filtering from '../../../../helper/windows/calls/filter-structures.ts';
import * as ipHelper from '../../../../helper/windows/calls/ip-helper-structures.ts';
import { folders } from '../../../../helper/windows/calls/known-folders.ts';
import { openConstants } from '../../../../helper/windows/calls/open-file.ts';
import { OVERLAPPED, pipeCodes } from '../../../../helper/windows/calls/pipe-calls.ts';
import * as processes from '../../../../helper/windows/calls/process-structures.ts';
import { registryConstants } from '../../../../helper/windows/calls/registry-constants.ts';
import { resolverConstants } from '../../../../helper/windows/calls/resolver-client-calls.ts';
import { codes } from '../../../../helper/windows/calls/system-error.ts';
import { waitConstants } from '../../../../helper/windows/calls/wait-for-object.ts';
import { wintunCodes } from '../../../../helper/windows/calls/wintun.ts';
import { lockCodes } from '../../../../helper/windows/directory-lock.ts';
import { descriptorFlags } from '../../../../helper/windows/programs/inherited-handles.ts';
import { privilegeNumbers, tokenConstants } from '../../../../helper/windows/programs/lower-token.ts';
import { FILETIME, processConstants } from '../../../../helper/windows/programs/remembered-process.ts';
import * as tokens from '../../../../helper/windows/programs/token-structures.ts';
import * as configuration from '../../../../helper/windows/service/configuration-structures.ts';
import { endConstants } from '../../../../helper/windows/service/end-programs.ts';
import { pathConstants } from '../../../../helper/windows/service/machine-path.ts';
import {
  SERVICE_TABLE_ENTRYW,
  serviceCodes,
  serviceConstants,
  WTSSESSION_NOTIFICATION,
} from '../../../../helper/windows/service/service-calls.ts';
import { managerCodes, managerConstants } from '../../../../helper/windows/service/service-manager.ts';
import { changeConstants } from '../../../../helper/windows/service/start-and-stop.ts';
import { statusConstants } from '../../../../src/main/cli/doctor/windows/service-status.ts';
import * as wireless from '../../../../src/main/networks/windows/wireless-structures.ts';
import { wirelessCodes, wirelessVersions } from '../../../../src/main/networks/windows/wireless.ts';
import { SOCKADDR_IN, socketConstants, WSADATA } from '../../../../src/main/self-test/windows/sockets.ts';
import {
  connectionConstants,
  INTERNET_PER_CONN_OPTION_LISTW,
  INTERNET_PER_CONN_OPTIONW,
} from '../../../../src/main/system-proxy/windows/connection-options.ts';
import { optionConstants } from '../../../../src/main/system-proxy/windows/internet-options.ts';
import { phoneBookConstants, RASENTRYNAMEW } from '../../../../src/main/system-proxy/windows/phone-book.ts';
import { SHELLEXECUTEINFOW, shellConstants } from '../../../../src/main/updates/windows/shell-execute.ts';
import type { Constants } from './windows-headers.ts';

const isStructure = (value: unknown): value is Structure =>
  typeof value === 'object' && value !== null && 'designators' in value;
const structuresOf = (module: Readonly<Record<string, unknown>>) => Object.values(module).filter(isStructure);

/** Every structure that a call is given or fills. */
export const structures: readonly Structure[] = [
  ...[ipHelper, adapters, filtering, wireless, processes, security, tokens, configuration].flatMap(
    structuresOf,
  ),
  SHELLEXECUTEINFOW,
  RASENTRYNAMEW,
  GUID,
  SERVICE_STATUS,
  SERVICE_TABLE_ENTRYW,
  WTSSESSION_NOTIFICATION,
  OVERLAPPED,
  FILETIME,
  WSADATA,
  SOCKADDR_IN,
  INTERNET_PER_CONN_OPTIONW,
  INTERNET_PER_CONN_OPTION_LISTW,
];

/** One list for each file, as several files may have the same name. */
export const constants: readonly Constants[] = [
  ipHelper.ipHelperConstants,
  adapters.adapterConstants,
  filtering.filterConstants,
  wireless.wirelessConstants,
  wirelessCodes,
  processes.processStartConstants,
  tokenConstants,
  accessTokenConstants,
  identifierConstants,
  descriptorConstants,
  directoryConstants,
  handleConstants,
  registryConstants,
  registryRoots,
  userRegistryConstants,
  pathConstants,
  resolverConstants,
  serviceConstants,
  serviceCodes,
  configuration.configurationConstants,
  configuration.configurationCodes,
  managerConstants,
  managerCodes,
  changeConstants,
  endConstants,
  statusConstants,
  pipeConstants,
  pipeRights,
  pipeCodes,
  waitConstants,
  wintunCodes,
  lockCodes,
  processConstants,
  socketConstants,
  shellConstants,
  phoneBookConstants,
  connectionConstants,
  optionConstants,
  accessConstants,
  fileConstants,
  openConstants,
  fileCodes,
  codes,
];

/** Identifiers that the headers define by their parts. */
export const identifiers: Readonly<Record<string, Guid>> = folders;

/** What the headers lack; each has its source where it is. */
export const elsewhere: readonly Readonly<Record<string, number | Guid>>[] = [
  filtering.filterFlags,
  filtering.layers,
  filtering.fields,
  wireless.newerAlgorithms,
  wirelessVersions,
  descriptorFlags,
  privilegeNumbers,
  pseudoHandles,
];
