import koffi from 'koffi';
import { bytes, structure } from '#node/os/windows/structure.ts';

/** Structures of <wlanapi.h> and <wlantypes.h>. */

export const DOT11_SSID = structure('DOT11_SSID', { uSSIDLength: 'uint32', ucSSID: bytes(32) });

export const WLAN_ASSOCIATION_ATTRIBUTES = structure('WLAN_ASSOCIATION_ATTRIBUTES', {
  dot11Ssid: DOT11_SSID.type,
  dot11BssType: 'int32',
  dot11Bssid: bytes(6),
  dot11PhyType: 'int32',
  uDot11PhyIndex: 'uint32',
  wlanSignalQuality: 'uint32',
  ulRxRate: 'uint32',
  ulTxRate: 'uint32',
});

export const WLAN_SECURITY_ATTRIBUTES = structure('WLAN_SECURITY_ATTRIBUTES', {
  bSecurityEnabled: 'int32',
  bOneXEnabled: 'int32',
  dot11AuthAlgorithm: 'uint32',
  dot11CipherAlgorithm: 'uint32',
});

export const WLAN_CONNECTION_ATTRIBUTES = structure('WLAN_CONNECTION_ATTRIBUTES', {
  isState: 'int32',
  wlanConnectionMode: 'int32',
  strProfileName: koffi.array('uint16', 256, 'Typed'),
  wlanAssociationAttributes: WLAN_ASSOCIATION_ATTRIBUTES.type,
  wlanSecurityAttributes: WLAN_SECURITY_ATTRIBUTES.type,
});

export const wirelessConstants = {
  wlan_intf_opcode_current_connection: 7,
  wlan_interface_state_connected: 1,
  DOT11_AUTH_ALGO_WPA: 3,
  DOT11_AUTH_ALGO_WPA_PSK: 4,
  DOT11_AUTH_ALGO_RSNA: 6,
  DOT11_AUTH_ALGO_RSNA_PSK: 7,
} as const;

/**
 * Of Windows' own <windot11.h> since Windows 10, which mingw-w64's lacks (Microsoft, “DOT11_AUTH_ALGORITHM
 * enumeration”).
 */
export const newerAlgorithms = {
  DOT11_AUTH_ALGO_WPA3_ENT_192: 8,
  DOT11_AUTH_ALGO_WPA3_SAE: 9,
  DOT11_AUTH_ALGO_WPA3_ENT: 11,
} as const;
