import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { pseudoHandles } from '#node/os/windows/access-token.ts';
import { orThrow } from '#node/os/windows/last-error.ts';
import { steadyMemory } from '#node/os/windows/native-library.ts';
import { SECURITY_ATTRIBUTES } from '#node/os/windows/security-structures.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';
import { createPipe, pipeConstants } from '../calls/create-pipe.ts';
import { openConstants as opening, openFile } from '../calls/open-file.ts';
import type { ProcessCalls } from '../calls/process-calls.ts';
import { processStartConstants as constants } from '../calls/process-structures.ts';

/** What a process gets at one of its descriptors, as `spawn` of Node names it; a number is one of this process. */
export type Inherited = 'ignore' | 'pipe' | 'overlapped' | number;

/** What a process is to inherit, and this process's ends of its pipes. */
export interface InheritedHandles {
  /** One for each descriptor, which the other process can inherit. */
  handles: number[];
  sockets: (Socket | null)[];
  /** What the C library of the other process reads (lpReserved2). */
  table: Buffer;
  /** Closes the handles for the other process, which has its own by then. */
  close(): void;
}

/** The C library's flags of a descriptor, which are in its internal headers only (libuv, src/win/process-stdio.c). */
export const descriptorFlags = { FOPEN: 0x01, FPIPE: 0x08, FDEV: 0x40 } as const;
const { FOPEN: isOpen, FPIPE: isPipe, FDEV: isDevice } = descriptorFlags;
const { currentProcess } = pseudoHandles;
const handleBytes = 8;
/** Nobody but the system itself: the other end has been opened by the time that anybody learns of the pipe. */
const nobodyElse = 'D:P(A;;GA;;;SY)(A;;GA;;;BA)';

export function prepareInherited(calls: ProcessCalls, wanted: readonly Inherited[]): InheritedHandles {
  const handles: number[] = [];
  const sockets: (Socket | null)[] = [];
  const flags: number[] = [];
  const close = () => {
    for (const handle of handles.splice(0)) calls.close(handle);
  };
  try {
    for (const one of wanted) {
      const isAPipe = one === 'pipe' || one === 'overlapped';
      if (isAPipe) {
        const { ours, theirs } = makePipe(calls, one === 'overlapped');
        handles.push(theirs);
        const descriptor = Number(calls.descriptorOf(ours));
        sockets.push(new Socket({ fd: descriptor, readable: true, writable: true }));
      } else {
        handles.push(one === 'ignore' ? openNothing() : inheritable(calls, one));
        sockets.push(null);
      }
      flags.push(isOpen | (isAPipe ? isPipe : one === 'ignore' ? isDevice : 0));
    }
    return { handles, sockets, table: tableOf(handles, flags), close };
  } catch (error) {
    close();
    for (const socket of sockets) socket?.destroy();
    throw error;
  }
}

function makePipe(calls: ProcessCalls, isOverlapped: boolean): { ours: number; theirs: number } {
  const name = String.raw`\\.\pipe\waymaker-${process.pid}-${randomBytes(16).toString('hex')}`;
  const ours = createPipe(name, { isFirst: true, instances: 1, access: nobodyElse });
  try {
    return { ours, theirs: openForOthers(name, isOverlapped ? pipeConstants.FILE_FLAG_OVERLAPPED : 0) };
  } catch (error) {
    calls.close(ours);
    throw error;
  }
}

const openNothing = () => openForOthers('NUL', 0);

function openForOthers(name: string, flags: number): number {
  // No descriptor, and that it is inherited.
  const length = sizeOf(SECURITY_ATTRIBUTES);
  const attributes = steadyMemory(length);
  attributes.writeUInt32LE(length, placeOf(SECURITY_ATTRIBUTES, 'nLength'));
  attributes.writeUInt32LE(1, placeOf(SECURITY_ATTRIBUTES, 'bInheritHandle'));
  const rights = opening.GENERIC_READ + opening.GENERIC_WRITE;
  const share = opening.FILE_SHARE_READ | opening.FILE_SHARE_WRITE;
  return openFile(name, { rights, share, how: opening.OPEN_EXISTING, flags, attributes });
}

function inheritable(calls: ProcessCalls, descriptor: number): number {
  const into: unknown[] = [0];
  const handle = calls.handleOf(descriptor);
  orThrow(
    'DuplicateHandle',
    calls.duplicate(currentProcess, handle, currentProcess, into, 0, 1, constants.DUPLICATE_SAME_ACCESS),
  );
  return Number(into[0]);
}

/** Their number, a byte of flags for each, and the handles. */
function tableOf(handles: readonly number[], flags: readonly number[]): Buffer {
  const table = steadyMemory(4 + handles.length * (1 + handleBytes));
  table.writeUInt32LE(handles.length, 0);
  for (const [index, handle] of handles.entries()) {
    table.writeUInt8(flags[index] ?? 0, 4 + index);
    table.writeBigInt64LE(BigInt(handle), 4 + handles.length + index * handleBytes);
  }
  return table;
}
