// Windows for the tests: Debian 13's wine in a directory of its own, with a prefix that has been set up once. Nothing
// is installed. Plain JavaScript, see run.js.
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { moveTo, run, withApt } from './later-debian.js';

const root = path.resolve(import.meta.dirname, '..');

/** Where it is unpacked: a whole tree, to change the root to, whose prefix is in /root/.wine. */
const wineTree = path.join(root, 'node_modules/.debian/wine');

/** Wine without windows and sound, the libraries that it loads, and zlib for the programs that it runs. */
const packages = `
  libbrotli1 libbz2-1.0 libc6 libexpat1 libffi8 libfontconfig1 libfreetype6 libgcc-s1 libgmp10 libgnutls30t64
  libhogweed6t64 libidn2-0 liblzma5 libnettle8t64 libp11-kit0 libpcap0.8t64 libpng16-16t64 libtasn1-6 libunistring5
  libunwind8 libwine libz-mingw-w64 libzstd1 wine64 zlib1g
`;

/** What a tree needs beside the packages: wine looks its user up, and Debian's own directories are links. */
const files = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/group': 'root:x:0:\n',
  'etc/fonts/fonts.conf': '<?xml version="1.0"?><fontconfig><cachedir>/tmp/fc</cachedir></fontconfig>\n',
};
const directories = ['dev', 'etc/fonts', 'proc', 'root', 'sys', 'tmp', 'usr/bin', 'work'];
const links = { lib: 'usr/lib', lib64: 'usr/lib64' };

/** Debug information is two thirds of wine's libraries. */
const stripScript = `
  cd "$0/usr/lib/x86_64-linux-gnu/wine/x86_64-windows" && strip --strip-debug -- *.dll *.exe *.drv *.sys *.cpl *.ocx
`;
/**
 * Sets the prefix up, and ends what that has started: there is no shell in the tree. wineboot looks for a part of 32
 * bits last, which is not there. Debian's wine needs zlib from the beginning.
 */
const bootScript = String.raw`
  inside() {
    env -i HOME=/root USER=root LANG=C.UTF-8 WINEDEBUG=-all WINEPREFIX=/root/.wine WINESERVER=/usr/lib/wine/wineserver64 \
      WINEPATH='Z:\usr\x86_64-w64-mingw32\lib' WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' \
      /usr/bin/unshare --root="$tree" "$@"
  }
  tree=$0
  mount -t proc proc "$tree/proc" && mount --rbind /dev "$tree/dev"
  { inside /usr/lib/wine/wine64 wineboot -i; inside /usr/lib/wine/wineserver64 -k; } >/dev/null 2>&1
  inside /usr/lib/wine/wineserver64 -w
  test -e "$tree/root/.wine/system.reg" && test -e "$tree/root/.wine/drive_c/windows/system32/services.exe"
`;
const ownNamespaces = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];

/** Unpacks it, unless it is there; says why if it cannot be had. */
export function unpackWine() {
  if (existsSync(wineTree)) return;
  const problem = process.getuid?.() === 0 ? unpack() : 'it takes root';
  if (problem !== undefined) console.error(`not available: Windows programs under wine: ${problem}`);
}

function unpack() {
  console.log('Unpacking wine from Debian …');
  return withApt(['trixie'], 'deb', (apt) => {
    const tree = path.join(apt.directory, 'tree');
    for (const name of directories) mkdirSync(path.join(tree, name), { recursive: true });
    const { problem: fetched } = apt('apt-get', ['download', ...packages.trim().split(/\s+/)]);
    if (fetched !== undefined) return fetched;
    for (const file of readdirSync(apt.directory).filter((name) => name.endsWith('.deb'))) {
      const { problem } = run('dpkg-deb', ['-x', path.join(apt.directory, file), tree]);
      if (problem !== undefined) return problem;
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(tree, name));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(tree, name), text);
    // Without binutils, the libraries stay as they are.
    run('sh', ['-c', stripScript, tree]);
    const { problem } = run('unshare', [...ownNamespaces, 'sh', '-c', bootScript, tree]);
    if (problem !== undefined) return problem;
    const system32 = path.join(tree, 'root/.wine/drive_c/windows/system32');
    copyFileSync(path.join(tree, 'usr/x86_64-w64-mingw32/lib/zlib1.dll'), path.join(system32, 'zlib1.dll'));
    return moveTo(tree, wineTree);
  });
}
