import koffi from 'koffi';
import ipaddr from 'ipaddr.js';
import type { FilterCondition, FilterLayer } from './filtering.ts';
import {
  fields,
  filterConstants as constants,
  FWP_BYTE_BLOB,
  FWP_RANGE0,
  FWP_V4_ADDR_AND_MASK,
  FWP_V6_ADDR_AND_MASK,
} from './filter-structures.ts';
import type { Guid } from '#node/os/windows/guid.ts';

/** What only Windows itself can make. */
export interface NativeConditions {
  /** How the filtering engine names the program of a file. */
  programId(file: string): Buffer;
  /** Reads one in the language of security descriptors (SDDL). */
  securityDescriptor(text: string): Buffer;
}

/** The parts of FWPM_FILTER_CONDITION0. */
export interface ConditionValue {
  field: Guid;
  match: number;
  type: number;
  bits: bigint;
  /** Memory that has to exist as long as the condition is used. */
  memory: readonly Buffer[];
}

const { FWP_MATCH_EQUAL, FWP_MATCH_FLAGS_ALL_SET, FWP_MATCH_RANGE } = constants;

/** The layer says whether an address has the form of IPv4 or IPv6. */
export function conditionValue(
  condition: FilterCondition,
  layer: FilterLayer,
  native: NativeConditions,
): ConditionValue {
  switch (condition.field) {
    case 'loopback':
      return {
        ...number(
          fields.FWPM_CONDITION_FLAGS,
          constants.FWP_UINT32,
          constants.FWP_CONDITION_FLAG_IS_LOOPBACK,
        ),
        match: FWP_MATCH_FLAGS_ALL_SET,
      };
    case 'interface': {
      const luid = Buffer.alloc(8);
      luid.writeBigUInt64LE(condition.luid);
      return pointed(fields.FWPM_CONDITION_IP_LOCAL_INTERFACE, constants.FWP_UINT64, luid);
    }
    case 'local-address': {
      const { type, bits, memory } = addressValue(condition.address, layer);
      return { field: fields.FWPM_CONDITION_IP_LOCAL_ADDRESS, match: FWP_MATCH_EQUAL, type, bits, memory };
    }
    case 'remote-prefix':
      return prefixValue(condition.prefix, layer);
    case 'remote-range':
      return rangeValue(condition, layer);
    case 'protocol':
      return number(fields.FWPM_CONDITION_IP_PROTOCOL, constants.FWP_UINT8, condition.protocol);
    case 'local-port':
      return number(fields.FWPM_CONDITION_IP_LOCAL_PORT, constants.FWP_UINT16, condition.port);
    case 'remote-port':
      return number(fields.FWPM_CONDITION_IP_REMOTE_PORT, constants.FWP_UINT16, condition.port);
    case 'icmp-type':
      return number(fields.FWPM_CONDITION_IP_LOCAL_PORT, constants.FWP_UINT16, condition.type);
    case 'program':
      return blob(
        fields.FWPM_CONDITION_ALE_APP_ID,
        constants.FWP_BYTE_BLOB_TYPE,
        native.programId(condition.file),
      );
    case 'user':
      return blob(
        fields.FWPM_CONDITION_ALE_USER_ID,
        constants.FWP_SECURITY_DESCRIPTOR_TYPE,
        native.securityDescriptor(matchingUser(condition.sid)),
      );
    default:
      return condition satisfies never;
  }
}

/**
 * A descriptor that grants one user what the filtering engine asks for: FWP_ACTRL_MATCH_FILTER (1), which SDDL writes
 * as CC.
 */
function matchingUser(sid: string): string {
  if (!/^S-1-\d+(?:-\d+){1,15}$/.test(sid)) throw new TypeError(`not a security identifier: ${sid}`);
  return `O:SYG:SYD:(A;;CC;;;${sid})`;
}

const addressOf = (memory: Buffer): bigint => koffi.address(memory);

const number = (field: Guid, type: number, value: number): ConditionValue => ({
  field,
  match: FWP_MATCH_EQUAL,
  type,
  bits: BigInt(value),
  memory: [],
});

const pointed = (field: Guid, type: number, memory: Buffer, ...further: Buffer[]): ConditionValue => ({
  field,
  match: FWP_MATCH_EQUAL,
  type,
  bits: addressOf(memory),
  memory: [memory, ...further],
});

function blob(field: Guid, type: number, data: Buffer): ConditionValue {
  const memory = Buffer.alloc(koffi.sizeof(FWP_BYTE_BLOB.type));
  koffi.encode(memory, FWP_BYTE_BLOB.type, { size: data.length, data: addressOf(data) });
  return pointed(field, type, memory, data);
}

function octetsOf(address: string, layer: FilterLayer): Buffer {
  const octets = Buffer.from(ipaddr.parse(address).toByteArray());
  if (octets.length !== (layer.endsWith('4') ? 4 : 16))
    throw new TypeError(`${address} does not belong into the layer ${layer}`);
  return octets;
}

/** An IPv4 address is a number in the machine's own order, one of IPv6 its bytes. */
function addressValue(address: string, layer: FilterLayer) {
  const octets = octetsOf(address, layer);
  return octets.length === 4
    ? { type: constants.FWP_UINT32, bits: BigInt(octets.readUInt32BE()), memory: [] }
    : { type: constants.FWP_BYTE_ARRAY16_TYPE, bits: addressOf(octets), memory: [octets] };
}

function prefixValue(prefix: string, layer: FilterLayer): ConditionValue {
  const [address = '', length = ''] = prefix.split('/');
  const octets = octetsOf(address, layer);
  const field = fields.FWPM_CONDITION_IP_REMOTE_ADDRESS;
  if (octets.length === 4) {
    const memory = Buffer.alloc(koffi.sizeof(FWP_V4_ADDR_AND_MASK.type));
    const mask = Number(length) === 0 ? 0 : (0xffffffff << (32 - Number(length))) >>> 0;
    koffi.encode(memory, FWP_V4_ADDR_AND_MASK.type, { addr: octets.readUInt32BE(), mask });
    return pointed(field, constants.FWP_V4_ADDR_MASK, memory);
  }
  const memory = Buffer.alloc(koffi.sizeof(FWP_V6_ADDR_AND_MASK.type));
  koffi.encode(memory, FWP_V6_ADDR_AND_MASK.type, { addr: octets, prefixLength: Number(length) });
  return pointed(field, constants.FWP_V6_ADDR_MASK, memory);
}

function rangeValue({ first, last }: { first: string; last: string }, layer: FilterLayer): ConditionValue {
  const [low, high] = [addressValue(first, layer), addressValue(last, layer)];
  const memory = Buffer.alloc(koffi.sizeof(FWP_RANGE0.type));
  koffi.encode(memory, FWP_RANGE0.type, {
    valueLow: { type: low.type, bits: low.bits },
    valueHigh: { type: high.type, bits: high.bits },
  });
  return {
    ...pointed(
      fields.FWPM_CONDITION_IP_REMOTE_ADDRESS,
      constants.FWP_RANGE_TYPE,
      memory,
      ...low.memory,
      ...high.memory,
    ),
    match: FWP_MATCH_RANGE,
  };
}
