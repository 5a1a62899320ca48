import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { coreFacts } from '../../../../packaging/linux/core-facts.ts';
import { run } from '../../../lab/runs/process.ts';

/** Debian's releases that are tried. */
export type Suite = 'bookworm' | 'trixie';

const kept = path.resolve(import.meta.dirname, '../../../../node_modules/.debian');
const mirror = 'http://deb.debian.org/debian';

/** What a computer has that people use: an init, the bus, and what the README's commands need. */
const included = 'systemd,systemd-sysv,dbus,ca-certificates,curl,sudo';

/**
 * The root of the smallest Debian that boots, made once by mmdebstrap(1) from Debian's own packages. It is told of a
 * mirror in /srv/debian, which has what our package depends on and nothing else, since the laboratory does not reach
 * the real one. Rejects where Debian cannot be reached.
 */
export async function minimalDebian(suite: Suite): Promise<string> {
  const root = path.join(kept, `minimal-${suite}`);
  if (existsSync(root)) return root;
  const { depends, recommends } = coreFacts;
  const names = [...depends.debian, ...(recommends?.debian ?? [])].map((one) => one.split(/[ |]/)[0]);
  const inside = (command: string) => `--customize-hook=chroot "$1" ${command}`;
  const outside = (command: string) => `--customize-hook=${command}`;
  const next = `${root}.new`;
  await rm(next, { recursive: true, force: true });
  await run(
    [
      'mmdebstrap',
      '--variant=minbase',
      `--include=${included}`,
      inside(`apt-get --yes --download-only install ${names.join(' ')}`),
      outside('mkdir "$1/srv/debian" && cp "$1"/var/cache/apt/archives/*.deb "$1/srv/debian/"'),
      outside('cd "$1/srv/debian" && apt-ftparchive packages . > Packages'),
      outside('rm -rf "$1"/etc/apt/sources.list.d/*'),
      outside('echo "deb [trusted=yes] file:/srv/debian ./" > "$1/etc/apt/sources.list"'),
      suite,
      next,
      mirror,
    ],
    { timeout: 500_000 },
  );
  await rename(next, root);
  return root;
}
