import { existsSync } from 'node:fs';
import path from 'node:path';

/** Debian's own ocserv, and the newest one that its later suites have. */
export type OcservVersion = 'installed' | 'newest';

/** Where scripts/later-debian.js unpacks the newest one and its libraries. */
const newest = path.resolve(import.meta.dirname, '../../../node_modules/.debian/newest-ocserv');

/** Why a version cannot be tried here; undefined if it can. */
export function whyWithout(version: OcservVersion): string | undefined {
  return version === 'newest' && !existsSync(newest)
    ? 'the set-up could not get it from Debian’s unstable suite'
    : undefined;
}

/**
 * The command that runs ocserv; its pid becomes ocserv's. The newest one sees its own C library and all others in the
 * place of this system's, and nobody else does.
 */
export function ocservCommand(version: OcservVersion, args: readonly string[]): string[] {
  const command = ['ocserv', ...args];
  if (version === 'installed') return command;
  const script = 'mount -t overlay -o "lowerdir=$0/usr:/usr" overlay /usr && exec "$@"';
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, newest, ...command];
}
