import koffi from 'koffi';
import { GUID, type Guid } from '#node/os/windows/guid.ts';
import { bytes, structure } from '#node/os/windows/structure.ts';

/** Structures of <fwptypes.h> and <fwpmtypes.h>. */

export const FWP_BYTE_BLOB = structure('FWP_BYTE_BLOB', { size: 'uint32', data: 'void *' });

/** `bits` is the union: a number of up to 32 bits itself, or where something larger is. */
export const FWP_VALUE0 = structure('FWP_VALUE0', { type: 'int32', bits: 'uint64' }, { bits: 'uint64' });

/** The same, with further types. */
export const FWP_CONDITION_VALUE0 = structure(
  'FWP_CONDITION_VALUE0',
  { type: 'int32', bits: 'uint64' },
  { bits: 'uint64' },
);

export const FWP_V4_ADDR_AND_MASK = structure('FWP_V4_ADDR_AND_MASK', { addr: 'uint32', mask: 'uint32' });
export const FWP_V6_ADDR_AND_MASK = structure('FWP_V6_ADDR_AND_MASK', {
  addr: bytes(16),
  prefixLength: 'uint8',
});
export const FWP_RANGE0 = structure('FWP_RANGE0', { valueLow: FWP_VALUE0.type, valueHigh: FWP_VALUE0.type });

export const FWPM_DISPLAY_DATA0 = structure('FWPM_DISPLAY_DATA0', { name: 'str16', description: 'str16' });

export const FWPM_SESSION0 = structure('FWPM_SESSION0', {
  sessionKey: GUID.type,
  displayData: FWPM_DISPLAY_DATA0.type,
  flags: 'uint32',
  txnWaitTimeoutInMSec: 'uint32',
  processId: 'uint32',
  sid: 'void *',
  username: 'void *',
  kernelMode: 'int32',
});

export const FWPM_PROVIDER0 = structure('FWPM_PROVIDER0', {
  providerKey: GUID.type,
  displayData: FWPM_DISPLAY_DATA0.type,
  flags: 'uint32',
  providerData: FWP_BYTE_BLOB.type,
  serviceName: 'str16',
});

export const FWPM_SUBLAYER0 = structure('FWPM_SUBLAYER0', {
  subLayerKey: GUID.type,
  displayData: FWPM_DISPLAY_DATA0.type,
  flags: 'uint16',
  providerKey: 'void *',
  providerData: FWP_BYTE_BLOB.type,
  weight: 'uint16',
});

export const FWPM_FILTER_CONDITION0 = structure('FWPM_FILTER_CONDITION0', {
  fieldKey: GUID.type,
  matchType: 'int32',
  conditionValue: FWP_CONDITION_VALUE0.type,
});

export const FWPM_ACTION0 = structure('FWPM_ACTION0', { type: 'uint32', filterType: GUID.type });

export const FWPM_FILTER0 = structure(
  'FWPM_FILTER0',
  {
    filterKey: GUID.type,
    displayData: FWPM_DISPLAY_DATA0.type,
    flags: 'uint32',
    providerKey: 'void *',
    providerData: FWP_BYTE_BLOB.type,
    layerKey: GUID.type,
    subLayerKey: GUID.type,
    weight: FWP_VALUE0.type,
    numFilterConditions: 'uint32',
    filterCondition: 'void *',
    action: FWPM_ACTION0.type,
    context: koffi.array('uint64', 2),
    reserved: 'void *',
    filterId: 'uint64',
    effectiveWeight: FWP_VALUE0.type,
  },
  { context: 'providerContextKey' },
);

export const FWPM_FILTER_ENUM_TEMPLATE0 = structure('FWPM_FILTER_ENUM_TEMPLATE0', {
  providerKey: 'void *',
  layerKey: GUID.type,
  enumType: 'int32',
  flags: 'uint32',
  providerContextTemplate: 'void *',
  numFilterConditions: 'uint32',
  filterCondition: 'void *',
  actionMask: 'uint32',
  calloutKey: 'void *',
});

export const FWPM_FILTER_SUBSCRIPTION0 = structure('FWPM_FILTER_SUBSCRIPTION0', {
  enumTemplate: 'void *',
  flags: 'uint32',
  sessionKey: GUID.type,
});

/** Of <fwptypes.h>, <fwpmtypes.h>, <rpcdce.h> and <sddl.h>. */
export const filterConstants = {
  FWP_EMPTY: 0,
  FWP_UINT8: 1,
  FWP_UINT16: 2,
  FWP_UINT32: 3,
  FWP_UINT64: 4,
  FWP_BYTE_ARRAY16_TYPE: 11,
  FWP_BYTE_BLOB_TYPE: 12,
  FWP_SECURITY_DESCRIPTOR_TYPE: 14,
  FWP_V4_ADDR_MASK: 0x100,
  FWP_V6_ADDR_MASK: 0x101,
  FWP_RANGE_TYPE: 0x102,
  FWP_MATCH_EQUAL: 0,
  FWP_MATCH_RANGE: 5,
  FWP_MATCH_FLAGS_ALL_SET: 6,
  FWP_CONDITION_FLAG_IS_LOOPBACK: 1,
  FWP_ACTION_BLOCK: 0x1001,
  FWP_ACTION_PERMIT: 0x1002,
  RPC_C_AUTHN_WINNT: 10,
  SDDL_REVISION_1: 1,
} as const;

/**
 * What mingw-w64's headers lack. Flags: Microsoft's documentation of FWPM_SESSION0, FWPM_FILTER0, FWPM_SUBLAYER0,
 * FWPM_PROVIDER0 and FWPM_FILTER_SUBSCRIPTION0.
 */
export const filterFlags = {
  FWPM_SESSION_FLAG_DYNAMIC: 1,
  FWPM_FILTER_FLAG_PERSISTENT: 1,
  FWPM_FILTER_FLAG_BOOTTIME: 2,
  FWPM_FILTER_FLAG_CLEAR_ACTION_RIGHT: 8,
  FWPM_SUBLAYER_FLAG_PERSISTENT: 1,
  FWPM_PROVIDER_FLAG_PERSISTENT: 1,
  FWPM_SUBSCRIPTION_FLAG_NOTIFY_ON_ADD: 1,
  FWPM_SUBSCRIPTION_FLAG_NOTIFY_ON_DELETE: 2,
} as const;

/**
 * Microsoft's documentation names these (“Management Filtering Layer Identifiers”), its SDK's <fwpmu.h> has their
 * values; OpenVPN's wfp_block.h and wireguard-windows' types_windows.go have the same.
 */
export const layers = {
  FWPM_LAYER_ALE_AUTH_CONNECT_V4: 'c38d57d1-05a7-4c33-904f-7fbceee60e82',
  FWPM_LAYER_ALE_AUTH_CONNECT_V6: '4a72393b-319f-44bc-84c3-ba54dcb3b6b4',
  FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V4: 'e1cd9fe7-f4b5-4273-96c0-592e487b8650',
  FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V6: 'a3b42c97-9f04-4672-b87e-cee9c483257f',
} as const satisfies Record<string, Guid>;

/** Likewise (“Filtering Condition Identifiers”). The type of an ICMP message is in the place of the local port. */
export const fields = {
  FWPM_CONDITION_FLAGS: '632ce23b-5167-435c-86d7-e903684aa80c',
  FWPM_CONDITION_IP_PROTOCOL: '3971ef2b-623e-4f9a-8cb1-6e79b806b9a7',
  FWPM_CONDITION_IP_LOCAL_ADDRESS: 'd9ee00de-c1ef-4617-bfe3-ffd8f5a08957',
  FWPM_CONDITION_IP_LOCAL_PORT: '0c1ba1af-5765-453f-af22-a8f791ac775b',
  FWPM_CONDITION_IP_LOCAL_INTERFACE: '4cd62a49-59c3-4969-b7f3-bda5d32890a4',
  FWPM_CONDITION_IP_REMOTE_ADDRESS: 'b235ae9a-1d64-49b8-a44c-5ff3d9095045',
  FWPM_CONDITION_IP_REMOTE_PORT: 'c35a604d-d22b-4e1a-91b4-68f674ee674b',
  FWPM_CONDITION_ALE_APP_ID: 'd78e1e87-8644-4ea5-9437-d809ecefc971',
  FWPM_CONDITION_ALE_USER_ID: 'af043a0a-b34d-4f86-979c-c90371af6e66',
} as const satisfies Record<string, Guid>;
