import { readFileSync } from 'node:fs';
import path from 'node:path';
import { coreFacts } from '../linux/core-facts.ts';
import { forTestsOnly, product, type PackageFacts } from '../linux/package-facts.ts';

const script = readFileSync(path.join(import.meta.dirname, 'scripts/common.sh'), 'utf8');
const debianScript = (lines: string) => `#!/bin/sh\nset -e\n\n${script}\n${lines.trim()}\n`;
const rpmScript = (lines: string) => `set -e\n\n${script}\n${lines.trim()}\n`;

const scripts: PackageFacts['scripts'] = {
  debian: {
    postinst: debianScript('if [ "$1" = configure ]; then let_sandbox_start; fi'),
    prerm: debianScript('if [ "$1" = remove ]; then end_window; fi'),
  },
  rpm: {
    post: rpmScript('let_sandbox_start'),
    preun: rpmScript('if [ "$1" -eq 0 ]; then end_window; fi'),
  },
};

const names = { app: 'waymaker', testWindow: 'waymaker-test-window' } as const;

const purpose =
  'The window and the icon in the tray, where one signs in, chooses a server and a routing mode, connects, and sees ' +
  'which way traffic goes. The package waymaker-core makes the tunnel.';

/** Two releases of core and window need not understand each other. */
const core = (version: string) => ({
  debian: [`${coreFacts.name} (= ${version})`, 'hicolor-icon-theme', 'xdg-utils'],
  rpm: [`${coreFacts.name} = ${version}`, 'hicolor-icon-theme', 'xdg-utils'],
});

/** `waymaker`: the desktop app in Electron. */
export function appFacts(version: string = product.version): PackageFacts {
  const { debian: debianCore, rpm: rpmCore } = core(version);
  return {
    name: names.app,
    version,
    summary: 'AnyConnect-compatible VPN: desktop app',
    description: [purpose],
    // What Electron's binary is linked to, by the packages that bring the rest along.
    depends: {
      debian: [
        ...debianCore,
        'libgtk-3-0t64 | libgtk-3-0',
        'libnss3',
        'libgbm1',
        'libasound2t64 | libasound2',
        'libcups2t64 | libcups2',
        'libatspi2.0-0t64 | libatspi2.0-0',
        'libnotify4',
      ],
      rpm: [...rpmCore, 'gtk3', 'nss', 'mesa-libgbm', 'alsa-lib', 'cups-libs', 'at-spi2-core', 'libnotify'],
    },
    recommends: { debian: ['libsecret-1-0'], rpm: ['libsecret'] },
    conflicts: [names.testWindow],
    scripts,
  };
}

/** `waymaker-test-window`: the same app where Electron's binary could not be had. */
export function testWindowFacts(version: string = product.version): PackageFacts {
  const { debian, rpm: others } = core(version);
  return {
    name: names.testWindow,
    version,
    summary: 'Waymaker’s window for tests only, in the place of the desktop app',
    description: [
      `${forTestsOnly} the desktop app’s own files with the tests’ stand-in for Electron in its place, and its window ` +
        'in Chromium. Nobody should use it as their VPN: what Electron protects is not protected here.',
      purpose,
    ],
    depends: { debian: [...debian, 'chromium'], rpm: [...others, 'chromium'] },
    recommends: { debian: ['libsecret-1-0'], rpm: ['libsecret'] },
    conflicts: [names.app],
    scripts,
  };
}
