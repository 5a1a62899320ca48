import { calls, checked } from './system-calls.ts';

/** <linux/mount.h>. */
const MS_BIND = 4096;
const MS_REC = 16384;

/**
 * Shows an open folder, with what is mounted in it, at another place. The descriptor leads there even where something
 * else is mounted over it, which mount(8) does not know: it looks for the path.
 */
export function bindFolder(descriptor: number, place: string): void {
  const source = `/proc/self/fd/${descriptor}`;
  checked(`mount ${place}`, calls().mount(source, place, null, MS_BIND | MS_REC, null));
}
