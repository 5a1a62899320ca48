import { describe, expect, test } from 'vitest';
import * as adapters from '#node/os/windows/adapter-structures.ts';
import { accessConstants } from '../../../../helper/windows/access-list.ts';
import { openConstants } from '../../../../helper/windows/calls/open-file.ts';
import { fileCodes, fileConstants } from '../../../../helper/windows/calls/file-calls.ts';
import * as filtering from '../../../../helper/windows/calls/filter-structures.ts';
import * as ipHelper from '../../../../helper/windows/calls/ip-helper-structures.ts';
import { GUID } from '#node/os/windows/guid.ts';
import * as processes from '../../../../helper/windows/calls/process-structures.ts';
import { registryConstants } from '../../../../helper/windows/calls/registry-constants.ts';
import { resolverConstants } from '../../../../helper/windows/calls/resolver-client-calls.ts';
import { SERVICE_STATUS } from '../../../../helper/windows/calls/service-status.ts';
import {
  serviceCodes,
  serviceConstants,
  WTSSESSION_NOTIFICATION,
} from '../../../../helper/windows/service/service-calls.ts';
import { tokenConstants } from '../../../../helper/windows/programs/lower-token.ts';
import { processConstants } from '../../../../helper/windows/programs/remembered-process.ts';
import { structure, type Structure } from '#node/os/windows/structure.ts';
import { codes } from '../../../../helper/windows/calls/system-error.ts';
import * as wireless from '../../../../src/main/networks/windows/wireless-structures.ts';
import { pipeConstants } from '../../../../helper/windows/calls/create-pipe.ts';
import { socketConstants } from '../../../../src/main/self-test/windows/sockets.ts';
import { SHELLEXECUTEINFOW, shellConstants } from '../../../../src/main/updates/windows/shell-execute.ts';
import { phoneBookConstants, RASENTRYNAMEW } from '../../../../src/main/system-proxy/windows/phone-book.ts';
import { connectionConstants } from '../../../../src/main/system-proxy/windows/connection-options.ts';
import { compareWithHeaders, isInHeaders } from './windows-headers.ts';

const isStructure = (value: unknown): value is Structure =>
  typeof value === 'object' && value !== null && 'designators' in value;
const structuresOf = (module: Readonly<Record<string, unknown>>) => Object.values(module).filter(isStructure);

// The compiler is one of Debian's packages.
describe.skipIf(process.platform !== 'linux')("Windows' headers", () => {
  test('every structure and constant of the calls is as in the headers', () => {
    const structures = [
      ...structuresOf(ipHelper),
      ...structuresOf(adapters),
      ...structuresOf(filtering),
      ...structuresOf(wireless),
      ...structuresOf(processes),
      SHELLEXECUTEINFOW,
      RASENTRYNAMEW,
      GUID,
      SERVICE_STATUS,
      WTSSESSION_NOTIFICATION,
    ];
    const { compared, differences } = compareWithHeaders(structures, {
      ...ipHelper.ipHelperConstants,
      ...adapters.adapterConstants,
      ...filtering.filterConstants,
      ...wireless.wirelessConstants,
      ...processes.processStartConstants,
      ...tokenConstants,
      ...registryConstants,
      ...resolverConstants,
      ...serviceConstants,
      ...serviceCodes,
      ...pipeConstants,
      ...processConstants,
      ...socketConstants,
      ...shellConstants,
      ...phoneBookConstants,
      ...connectionConstants,
      ...accessConstants,
      ...fileConstants,
      ...openConstants,
      ...fileCodes,
      ...codes,
    });
    expect(differences).toEqual([]);
    expect(structures).toHaveLength(44);
    expect(compared).toBeGreaterThan(400);
  });

  test('a member in the wrong place, a wrong width and a wrong constant are found', () => {
    const wrong = structure('FWP_V4_ADDR_AND_MASK', { mask: 'uint32', addr: 'uint64' });
    expect(compareWithHeaders([wrong], { ERROR_NOT_FOUND: 2 }).differences).toEqual([
      'size of FWP_V4_ADDR_AND_MASK: 16, in the headers 8',
      'place of FWP_V4_ADDR_AND_MASK.mask: 0, in the headers 4',
      'place of FWP_V4_ADDR_AND_MASK.addr: 8, in the headers 0',
      'size of FWP_V4_ADDR_AND_MASK.addr: 8, in the headers 4',
      'ERROR_NOT_FOUND: 2, in the headers 1168',
    ]);
  });

  test('only what the headers lack is taken from elsewhere', () => {
    const elsewhere = [
      ...Object.keys(filtering.filterFlags),
      ...Object.keys(filtering.layers),
      ...Object.keys(filtering.fields),
      ...Object.keys(wireless.newerAlgorithms),
      'DnsFlushResolverCache',
    ];
    expect(elsewhere.filter(isInHeaders)).toEqual([]);
    expect(['FwpmFilterAdd0', 'FWP_CONDITION_FLAG_IS_LOOPBACK'].filter(isInHeaders)).toHaveLength(2);
  });
});
