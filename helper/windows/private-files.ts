import { closeSync, fstatSync, fsyncSync, readSync, writeFileSync } from 'node:fs';
import { ownUser } from '#node/os/windows/access-token.ts';
import { CallFailed, orThrow } from '#node/os/windows/last-error.ts';
import { steadyMemory } from '#node/os/windows/native-library.ts';
import { openConstants as opening, openFile } from './calls/open-file.ts';
import { withAccess } from '#node/os/windows/security-descriptor.ts';
import { wellKnownSids } from '#node/os/windows/security-identifier.ts';
import type { PrivateFiles } from '../system/ports/private-files-port.ts';
import { isOnlyFor, readAccess } from './access-list.ts';
import { fileCodes, fileConstants as constants, loadFileCalls } from './calls/file-calls.ts';

/** The system and administrators; nothing is inherited. */
const access = 'D:P(A;;FA;;;SY)(A;;FA;;;BA)';
/** More than an access list can have (MS-DTYP 2.4.5), with an owner. */
const maxDescriptorBytes = 80 * 1024;

let calls: ReturnType<typeof loadFileCalls> | undefined;

/** By a file's owner and its access list: permissions as POSIX has them say nothing here. */
export const privateFiles: PrivateFiles = {
  async read(file, length) {
    const opened = openToRead(file);
    if (typeof opened === 'string') return opened;
    const { handle, descriptor } = opened;
    try {
      if (!isOurs(handle)) return 'unusable';
      // A link is opened itself, and has no length.
      const found = fstatSync(descriptor);
      if (!found.isFile() || found.size !== length) return 'unusable';
      const content = Buffer.alloc(length);
      return readSync(descriptor, content, 0, length, 0) === length ? content : 'unusable';
    } finally {
      closeSync(descriptor);
    }
  },
  async create(file, content) {
    const { descriptor } = withAccess(access, (attributes) =>
      open(file, opening.GENERIC_WRITE, opening.CREATE_NEW, attributes),
    );
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

interface OpenedFile {
  handle: number;
  /** Closing it closes the handle. */
  descriptor: number;
}

function openToRead(file: string): OpenedFile | 'absent' | 'unusable' {
  try {
    return open(file, opening.GENERIC_READ, opening.OPEN_EXISTING, null);
  } catch (error) {
    const code = error instanceof CallFailed ? error.code : undefined;
    if (code === fileCodes.ERROR_FILE_NOT_FOUND || code === fileCodes.ERROR_PATH_NOT_FOUND) return 'absent';
    if (code === fileCodes.ERROR_ACCESS_DENIED) return 'unusable';
    throw error;
  }
}

/** As long as it is open, nobody writes to it. */
function open(file: string, rights: number, how: number, attributes: Buffer | null): OpenedFile {
  calls ??= loadFileCalls();
  const flags = opening.FILE_ATTRIBUTE_NORMAL | opening.FILE_FLAG_OPEN_REPARSE_POINT;
  const handle = openFile(file, { rights, share: opening.FILE_SHARE_READ, how, flags, attributes });
  const descriptor = Number(calls.descriptorOf(handle));
  if (descriptor >= 0) return { handle, descriptor };
  calls.close(handle);
  throw new Error('there is no descriptor for another file');
}

function isOurs(handle: number): boolean {
  const { getSecurity } = (calls ??= loadFileCalls());
  const what = constants.OWNER_SECURITY_INFORMATION | constants.DACL_SECURITY_INFORMATION;
  const descriptor = steadyMemory(maxDescriptorBytes);
  orThrow('GetKernelObjectSecurity', getSecurity(handle, what, descriptor, descriptor.length, [0]));
  return isOnlyFor([wellKnownSids.system, wellKnownSids.administrators, ownUser()], readAccess(descriptor));
}
