import { createHash } from 'node:crypto';
import { filterTable, type TableFamily } from '../identifiers.ts';
import { errorNumbers, NetlinkError, netlinkBatch, netlinkDump, netlinkRequest } from '../netlink/netlink.ts';
import { attribute, findAttribute, zeroTerminated, type NetlinkMessage } from '../netlink/netlink-message.ts';
import type { Intervals } from './prefix-intervals.ts';

/**
 * Elements of nftables sets, added without libnftables, which takes a hundred thousand of them as text; that takes a
 * second and a half, and 80 MB that the process never gives back.
 */

/** Constants of <linux/netfilter/nfnetlink.h> and <linux/netfilter/nf_tables.h>. */
const subsystem = 10;
const NFNL_MSG_BATCH_BEGIN = 16;
const NFNL_MSG_BATCH_END = 17;
const chainKind = { get: 4, table: 1, name: 3, isHashed: true };
const ruleKind = { get: 7, table: 1, name: 2, isHashed: true };
const setKind = { get: 10, table: 1, name: 2, isHashed: false };
/** Anonymous sets belong to their rules. */
const NFTA_SET_FLAGS = 3;
const NFT_SET_ANONYMOUS = 1;
const NFT_MSG_NEWSETELEM = 12;
const NFT_MSG_GETSETELEM = 13;
const NFT_MSG_GETGEN = 16;
const NFTA_GEN_ID = 1;
const NFTA_SET_ELEM_LIST_TABLE = 1;
const NFTA_SET_ELEM_LIST_SET = 2;
const NFTA_SET_ELEM_LIST_ELEMENTS = 3;
const NFTA_LIST_ELEM = 1;
const NFTA_SET_ELEM_KEY = 1;
const NFTA_SET_ELEM_FLAGS = 3;
const NFTA_DATA_VALUE = 1;
const NFT_SET_ELEM_INTERVAL_END = 1;
/** The flag of an attribute's type for nested attributes. */
const NLA_F_NESTED = 0x8000;

/** `struct nfgenmsg` (NFPROTO_INET, NFPROTO_ARP). */
const inetHeader = Buffer.from([1, 0, 0, 0]);
const headers = { inet: inetHeader, arp: Buffer.from([3, 0, 0, 0]) } as const;
const batchHeader = Buffer.from([0, 0, 0, subsystem]);
const headerBytes = 4;

const numberOf = (type: number) => (subsystem << 8) | type;
const nested = (type: number, parts: readonly Buffer[]) =>
  attribute(type | NLA_F_NESTED, Buffer.concat(parts));

/** Intervals per message: the list of elements is an attribute, of at most 64 KiB. */
const perMessage = 800;
/** Messages per transaction. */
const perBatch = 16;

const endFlag = attribute(NFTA_SET_ELEM_FLAGS, Buffer.from([0, 0, 0, NFT_SET_ELEM_INTERVAL_END]));
/** The offset of an element's key: after three attribute headers. */
const keyAt = 12;

const element = (key: Buffer, flags: readonly Buffer[] = []) =>
  nested(NFTA_LIST_ELEM, [nested(NFTA_SET_ELEM_KEY, [attribute(NFTA_DATA_VALUE, key)]), ...flags]);

const setAttributes = (set: string) => [
  attribute(NFTA_SET_ELEM_LIST_TABLE, zeroTerminated(filterTable)),
  attribute(NFTA_SET_ELEM_LIST_SET, zeroTerminated(set)),
];

type Kind = typeof chainKind | typeof ruleKind | typeof setKind;

/** The content of our tables, without the elements of sets. */
export interface FilterListing {
  chains: Record<TableFamily, string[]>;
  sets: string[];
  /** The number of their rules. */
  rules: number;
  /** Differs for other chains, sets or rules, and also if the same ones were loaded again. */
  digest: string;
}

/**
 * Undefined if there is no table of IP packets. Does not use libnftables, which reads all elements of all sets for
 * whatever it lists (nftables 1.0.6).
 */
export async function listFilter(): Promise<FilterListing | undefined> {
  const hash = createHash('sha256');
  const dump = async (kind: Kind, family: TableFamily = 'inet') => {
    const names: string[] = [];
    const payload = Buffer.concat([headers[family], attribute(kind.table, zeroTerminated(filterTable))]);
    await netlinkDump('nftables', { type: numberOf(kind.get), payload }, (message) => {
      // Some kernels also return those of other tables.
      if (!findAttribute(message.payload, headerBytes, kind.table)?.equals(zeroTerminated(filterTable)))
        return;
      const flags =
        kind === setKind ? findAttribute(message.payload, headerBytes, NFTA_SET_FLAGS) : undefined;
      if (flags && (flags.readUInt32BE() & NFT_SET_ANONYMOUS) !== 0) return;
      const name = findAttribute(message.payload, headerBytes, kind.name);
      names.push(name?.toString('latin1', 0, name.length - 1) ?? '');
      hash.update(kind.isHashed ? message.payload : (name ?? Buffer.alloc(0)));
    });
    return names;
  };
  const chains = { inet: await dump(chainKind), arp: await dump(chainKind, 'arp') };
  const rules = [...(await dump(ruleKind)), ...(await dump(ruleKind, 'arp'))];
  // The current number of elements is not part of a set's definition.
  const sets = await dump(setKind);
  if (chains.inet.length === 0 && sets.length === 0) return undefined;
  return { chains, sets, rules: rules.length, digest: hash.digest('hex') };
}

/** Adds intervals to an existing empty set of our table, in several transactions. */
export async function addIntervals(set: string, intervals: Intervals): Promise<void> {
  const frame = {
    begin: { type: NFNL_MSG_BATCH_BEGIN, payload: batchHeader },
    end: { type: NFNL_MSG_BATCH_END, payload: batchHeader },
  };
  for (let at = 0; at < intervals.length; at += perMessage * perBatch) {
    const messages: NetlinkMessage[] = [];
    const behind = Math.min(intervals.length, at + perMessage * perBatch);
    for (let first = at; first < behind; first += perMessage) {
      const elements = encodeElements(intervals, first, Math.min(behind, first + perMessage));
      const payload = [inetHeader, ...setAttributes(set), nested(NFTA_SET_ELEM_LIST_ELEMENTS, [elements])];
      messages.push({ type: numberOf(NFT_MSG_NEWSETELEM), payload: Buffer.concat(payload) });
    }
    await netlinkBatch(messages, frame);
  }
}

function encodeElements(intervals: Intervals, from: number, behind: number): Buffer {
  const { length: size } = intervals.at(from).first;
  const begin = element(Buffer.alloc(size));
  const end = element(Buffer.alloc(size), [endFlag]);
  const encoded = Buffer.allocUnsafe((behind - from) * (begin.length + end.length));
  let at = 0;
  const put = (template: Buffer, key: Buffer) => {
    template.copy(encoded, at);
    key.copy(encoded, at + keyAt);
    at += template.length;
  };
  for (let index = from; index < behind; index += 1) {
    const interval = intervals.at(index);
    put(begin, interval.first);
    if (interval.end) put(end, interval.end);
  }
  return encoded.subarray(0, at);
}

/** How many elements `addIntervals` creates: two for each interval, except for one that ends with the last address. */
export function countElements(intervals: Intervals): number {
  const { length } = intervals;
  return length === 0 ? 0 : 2 * length - (intervals.at(length - 1).end ? 0 : 1);
}

/** The number of elements in a set of our table. */
export async function elementsOf(set: string): Promise<number> {
  let count = 0;
  const payload = Buffer.concat([inetHeader, ...setAttributes(set)]);
  await netlinkDump('nftables', { type: numberOf(NFT_MSG_GETSETELEM), payload }, (message) => {
    const list = findAttribute(message.payload, headerBytes, NFTA_SET_ELEM_LIST_ELEMENTS) ?? Buffer.alloc(0);
    for (let at = 0; at + 4 <= list.length; at += Math.ceil(list.readUInt16LE(at) / 4) * 4) count += 1;
  });
  return count;
}

/** Whether a set of our table has an element with exactly this key. */
export async function hasElement(set: string, key: Buffer): Promise<boolean> {
  const elements = nested(NFTA_SET_ELEM_LIST_ELEMENTS, [element(key)]);
  const payload = Buffer.concat([inetHeader, ...setAttributes(set), elements]);
  try {
    await netlinkRequest('nftables', { type: numberOf(NFT_MSG_GETSETELEM), payload });
    return true;
  } catch (error) {
    if (error instanceof NetlinkError && error.errno === errorNumbers.ENOENT) return false;
    throw error;
  }
}

/** A number that changes with every change of the rules, whoever makes it. */
export async function rulesGeneration(): Promise<number> {
  const { payload } = await netlinkRequest('nftables', {
    type: numberOf(NFT_MSG_GETGEN),
    payload: Buffer.alloc(headerBytes),
  });
  const generation = findAttribute(payload, headerBytes, NFTA_GEN_ID);
  if (!generation) throw new Error('nftables does not say which rules it has');
  return generation.readUInt32BE();
}
