import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { orThrow } from '#node/os/windows/last-error.ts';
import { steadyMemory } from '#node/os/windows/native-library.ts';
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

/** The C library's flags of a descriptor (FOPEN, FPIPE and FDEV of its internal headers, as libuv has them). */
const [isOpen, isPipe, isDevice] = [0x01, 0x08, 0x40];
const [currentProcess, handleBytes] = [-1, 8];
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
  // SECURITY_ATTRIBUTES of <minwinbase.h>: its length, no descriptor, and that it is inherited.
  const attributes = steadyMemory(24);
  attributes.writeUInt32LE(24, 0);
  attributes.writeUInt32LE(1, 16);
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
