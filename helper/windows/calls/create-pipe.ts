import { handleOrThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary, type NativeCall } from '#node/os/windows/native-library.ts';
import { withAccess } from '#node/os/windows/security-descriptor.ts';

/** <winbase.h>. */
export const pipeConstants = {
  PIPE_ACCESS_DUPLEX: 0x3,
  FILE_FLAG_OVERLAPPED: 0x4000_0000,
  FILE_FLAG_FIRST_PIPE_INSTANCE: 0x8_0000,
  /** With zeros for bytes instead of messages, and for calls that wait. */
  PIPE_REJECT_REMOTE_CLIENTS: 0x8,
  PIPE_UNLIMITED_INSTANCES: 255,
} as const;

const bufferBytes = 64 * 1024;

let createNamedPipe: NativeCall | undefined;

/**
 * The handle of a pipe of bytes, in both directions and for calls that do not wait, which nobody opens over the network;
 * throws `CallFailed`. `isFirst`: there must be none of that name. `access`: who may open it, in the security descriptor
 * definition language.
 */
export function createPipe(
  path: string,
  { isFirst, instances, access }: { isFirst: boolean; instances: number; access: string },
): number {
  createNamedPipe ??= loadLibrary('kernel32.dll').bind('CreateNamedPipeW', 'intptr', [
    'str16',
    'uint32',
    'uint32',
    'uint32',
    'uint32',
    'uint32',
    'uint32',
    'void *',
  ]);
  const create = createNamedPipe;
  const { PIPE_ACCESS_DUPLEX, FILE_FLAG_OVERLAPPED, FILE_FLAG_FIRST_PIPE_INSTANCE } = pipeConstants;
  const mode = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | (isFirst ? FILE_FLAG_FIRST_PIPE_INSTANCE : 0);
  const type = pipeConstants.PIPE_REJECT_REMOTE_CLIENTS;
  return withAccess(access, (attributes) =>
    handleOrThrow(
      'CreateNamedPipeW',
      create(path, mode, type, instances, bufferBytes, bufferBytes, 0, attributes),
    ),
  );
}
