import { closeSync, constants, openSync } from 'node:fs';
import koffi from 'koffi';
import { z } from 'zod/mini';

/**
 * Programs that the kernel runs for the sockets of a control group, using bpf(2) without a library. They stay after the
 * process that attached them has ended, and are removed with the group.
 */

/** The number of the system call, by architecture. */
const systemCalls: Partial<Record<NodeJS.Architecture, number>> = { x64: 321, arm64: 280 };

/** Commands of <linux/bpf.h>. */
const BPF_MAP_CREATE = 0;
const BPF_PROG_LOAD = 5;
const BPF_PROG_ATTACH = 8;
const BPF_PROG_DETACH = 9;
const BPF_OBJ_GET_INFO_BY_FD = 15;
const BPF_PROG_QUERY = 16;
const BPF_MAP_TYPE_LRU_HASH = 9;

/** Sizes of the largest request used here, and of the part of `struct bpf_prog_info` that is used. */
const requestBytes = 144;
const infoBytes = 80;
const idAt = 4;
/** More programs than one of our groups ever has of one kind. */
const maxQueried = 16;

const ENOENT = 2;
const EAGAIN = 11;
/** Signals come one at a time, so that the second attempt nearly always succeeds; libbpf makes five of them. */
const maxLoadAttempts = 20;

/** Each hook with its kind of program (`enum bpf_prog_type`) and its own number (`enum bpf_attach_type`). */
const hooks = {
  created: { type: 9, attach: 2 },
  connect4: { type: 18, attach: 10 },
  connect6: { type: 18, attach: 11 },
  send4: { type: 18, attach: 14 },
  send6: { type: 18, attach: 15 },
  receive4: { type: 18, attach: 19 },
  receive6: { type: 18, attach: 20 },
  leave: { type: 8, attach: 1 },
} as const;
export type Hook = keyof typeof hooks;
export const hookNames = Object.keys(hooks) as Hook[];

class BpfError extends Error {
  override name = 'BpfError';
}

/** A program that is loaded into the kernel. */
export interface Program {
  descriptor: number;
  id: number;
}

let systemCall: ((number: number, command: number, request: Buffer, size: number) => unknown) | undefined;

/** Returns the result of the call, or throws; `harmless`: an errno for which -1 is returned instead. */
function bpf(command: number, request: Buffer, harmless?: number): number {
  const number = systemCalls[process.arch];
  if (number === undefined) throw new BpfError(`not on ${process.arch}`);
  systemCall ??= koffi.load(null).func('long syscall(long, int, void *, unsigned int)');
  const result = Number(systemCall(number, command, request, request.length));
  if (result >= 0) return result;
  const errno = koffi.errno();
  if (errno === harmless) return -1;
  throw new BpfError(`command ${command} failed with errno ${errno}`);
}

const addressOf = (bytes: Buffer) => z.bigint().parse(koffi.address(bytes));

/** `license`: the kernel allows some helpers only for GPL programs. */
const license = Buffer.from('GPL\0');

/** Throws with the kernel's reasons if it refuses the program. */
export function loadProgram(hook: Hook, code: Buffer): Program {
  const request = Buffer.alloc(requestBytes);
  const reasons = Buffer.alloc(16 * 1024);
  request.writeUInt32LE(hooks[hook].type, 0);
  request.writeUInt32LE(code.length / 8, 4);
  request.writeBigUInt64LE(addressOf(code), 8);
  request.writeBigUInt64LE(addressOf(license), 16);
  request.writeUInt32LE(1, 24);
  request.writeUInt32LE(reasons.length, 28);
  request.writeBigUInt64LE(addressOf(reasons), 32);
  request.write(`waymaker`, 48, 'latin1');
  request.writeUInt32LE(hooks[hook].attach, 68);
  try {
    const descriptor = loadUndisturbed(request);
    return { descriptor, id: idOf(descriptor) };
  } catch (error) {
    const text = reasons.toString('latin1', 0, reasons.indexOf(0)).slice(-500);
    throw new BpfError(`no program for ${hook}: ${text}`, { cause: error });
  }
}

/** A signal, such as that of a child that has ended, makes the kernel give up verifying a program. */
function loadUndisturbed(request: Buffer): number {
  for (let attempt = 1; attempt < maxLoadAttempts; attempt += 1) {
    const descriptor = bpf(BPF_PROG_LOAD, request, EAGAIN);
    if (descriptor >= 0) return descriptor;
  }
  return bpf(BPF_PROG_LOAD, request);
}

export const unloadProgram = ({ descriptor }: Program): void => closeSync(descriptor);

function idOf(descriptor: number): number {
  const request = Buffer.alloc(requestBytes);
  const info = Buffer.alloc(infoBytes);
  request.writeUInt32LE(descriptor, 0);
  request.writeUInt32LE(info.length, 4);
  request.writeBigUInt64LE(addressOf(info), 8);
  bpf(BPF_OBJ_GET_INFO_BY_FD, request);
  return info.readUInt32LE(idAt);
}

/** The descriptor of a table that drops the least recently used entry when it is full. */
export function createTable(sizes: { key: number; value: number; entries: number }): number {
  const request = Buffer.alloc(requestBytes);
  request.writeUInt32LE(BPF_MAP_TYPE_LRU_HASH, 0);
  request.writeUInt32LE(sizes.key, 4);
  request.writeUInt32LE(sizes.value, 8);
  request.writeUInt32LE(sizes.entries, 12);
  return bpf(BPF_MAP_CREATE, request);
}

/**
 * Replaces the current program: without a flag, a group can have one of each kind, and it cannot miss any of those
 * above it (Linux, kernel/bpf/cgroup.c, __cgroup_bpf_attach).
 */
export function attachProgram(group: string, hook: Hook, { descriptor }: Program): void {
  withDirectory(group, (directory) => {
    const request = Buffer.alloc(requestBytes);
    request.writeUInt32LE(directory, 0);
    request.writeUInt32LE(descriptor, 4);
    request.writeUInt32LE(hooks[hook].attach, 8);
    bpf(BPF_PROG_ATTACH, request);
  });
}

/** Detaches whichever program is there; without flags, it need not be named. */
export function detachProgram(group: string, hook: Hook): void {
  withDirectory(group, (directory) => {
    const request = Buffer.alloc(requestBytes);
    request.writeUInt32LE(directory, 0);
    request.writeUInt32LE(hooks[hook].attach, 8);
    bpf(BPF_PROG_DETACH, request, ENOENT);
  });
}

/** The ids of the group's own programs. */
export function attachedPrograms(group: string, hook: Hook): number[] {
  return withDirectory(group, (directory) => {
    const request = Buffer.alloc(requestBytes);
    const ids = Buffer.alloc(maxQueried * 4);
    request.writeUInt32LE(directory, 0);
    request.writeUInt32LE(hooks[hook].attach, 4);
    request.writeBigUInt64LE(addressOf(ids), 16);
    request.writeUInt32LE(maxQueried, 24);
    bpf(BPF_PROG_QUERY, request);
    return Array.from({ length: request.readUInt32LE(24) }, (_, index) => ids.readUInt32LE(index * 4));
  });
}

function withDirectory<Result>(group: string, ask: (descriptor: number) => Result): Result {
  const descriptor = openSync(group, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return ask(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
