import koffi from 'koffi';
import { z } from 'zod/mini';
import { guidBytes, type Guid } from '#node/os/windows/guid.ts';
import { CallFailed, expectSuccess } from '#node/os/windows/last-error.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import {
  newerAlgorithms as newer,
  WLAN_CONNECTION_ATTRIBUTES,
  wirelessConstants as constants,
} from './wireless-structures.ts';

/** The wireless network that an adapter is in. */
export interface JoinedNetwork {
  /** Its name's bytes, in hexadecimal; empty if it hides its name. */
  ssid: string;
  /** Whether it lets in only people with a password or an account. */
  isProtected: boolean;
}

/** Of Windows' own <wlanapi.h>, for Windows Vista and later, which mingw-w64's lacks (Microsoft, “WlanOpenHandle”). */
export const wirelessVersions = { WLAN_API_VERSION_2_0: 2 } as const;
/** <winerror.h>. */
export const wirelessCodes = {
  ERROR_ACCESS_DENIED: 5,
  ERROR_INVALID_STATE: 5023,
  ERROR_NOT_FOUND: 1168,
  ERROR_SERVICE_NOT_ACTIVE: 1062,
} as const;

/** WPA, WPA2 and WPA3. Open networks, WEP and OWE keep nobody out. */
const provesMembership: readonly number[] = [
  constants.DOT11_AUTH_ALGO_WPA,
  constants.DOT11_AUTH_ALGO_WPA_PSK,
  constants.DOT11_AUTH_ALGO_RSNA,
  constants.DOT11_AUTH_ALGO_RSNA_PSK,
  ...Object.values(newer),
];

const maxNameBytes = 32;
const attributes = z.object({
  isState: z.number(),
  wlanAssociationAttributes: z.object({
    dot11Ssid: z.object({ uSSIDLength: z.number(), ucSSID: z.instanceof(Uint8Array) }),
  }),
  wlanSecurityAttributes: z.object({ bSecurityEnabled: z.number(), dot11AuthAlgorithm: z.number() }),
});

/**
 * Asks the system which network an adapter is in. `kept-back`: since Windows 11 24H2, names are only for programs that
 * may know where the computer is; undefined: it is in none. Throws `CallFailed`, and where there is no such library.
 */
export function createWirelessReader(
  library = 'wlanapi.dll',
): (adapter: Guid) => JoinedNetwork | 'kept-back' | undefined {
  const { bind } = loadLibrary(library);
  const native = {
    open: bind('WlanOpenHandle', 'uint32', ['uint32', 'void *', returned('uint32'), returned('intptr')]),
    query: bind('WlanQueryInterface', 'uint32', [
      'intptr',
      'void *',
      'int',
      'void *',
      returned('uint32'),
      returned('void *'),
      'void *',
    ]),
    free: bind('WlanFreeMemory', 'void', ['void *']),
    close: bind('WlanCloseHandle', 'uint32', ['intptr', 'void *']),
  };

  return (adapter) => {
    const [version, handle]: [unknown[], unknown[]] = [[0], [0]];
    const opened = Number(native.open(wirelessVersions.WLAN_API_VERSION_2_0, null, version, handle));
    // Without a wireless adapter, the service does not run.
    if (opened === wirelessCodes.ERROR_SERVICE_NOT_ACTIVE) return undefined;
    expectSuccess('WlanOpenHandle', opened);
    try {
      const [size, data]: [unknown[], unknown[]] = [[0], [null]];
      const what = constants.wlan_intf_opcode_current_connection;
      const code = Number(native.query(handle[0], guidBytes(adapter), what, null, size, data, null));
      if (code === wirelessCodes.ERROR_ACCESS_DENIED) return 'kept-back';
      if (code === wirelessCodes.ERROR_INVALID_STATE || code === wirelessCodes.ERROR_NOT_FOUND)
        return undefined;
      if (code !== 0) throw new CallFailed('WlanQueryInterface', code);
      try {
        if (Number(size[0]) < koffi.sizeof(WLAN_CONNECTION_ATTRIBUTES.type)) return undefined;
        return joinedIn(attributes.parse(koffi.decode(data[0], WLAN_CONNECTION_ATTRIBUTES.type)));
      } finally {
        native.free(data[0]);
      }
    } finally {
      native.close(handle[0], null);
    }
  };
}

function joinedIn(found: z.output<typeof attributes>): JoinedNetwork | undefined {
  if (found.isState !== constants.wlan_interface_state_connected) return undefined;
  const { uSSIDLength, ucSSID } = found.wlanAssociationAttributes.dot11Ssid;
  const { bSecurityEnabled, dot11AuthAlgorithm } = found.wlanSecurityAttributes;
  return {
    ssid: Buffer.from(ucSSID.subarray(0, Math.min(uSSIDLength, maxNameBytes))).toString('hex'),
    isProtected: bSecurityEnabled !== 0 && provesMembership.includes(dot11AuthAlgorithm),
  };
}
