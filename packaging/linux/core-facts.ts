import { coreScripts } from './core-scripts.ts';
import type { PackageFacts } from './package-facts.ts';

/** `waymaker-core`: all that a tunnel needs, without a window. */
export const coreFacts: PackageFacts = {
  name: 'waymaker-core',
  summary: 'AnyConnect-compatible VPN: helper, command line and background service',
  description: [
    'Connects to AnyConnect-compatible gateways from the command line, or from a background service of the user’s ' +
      'own. A helper, which systemd starts, makes the tunnel, routes traffic by the chosen mode, and blocks it with ' +
      'the kill switch.',
    'It has a Node.js runtime of its own. The desktop app is in the package waymaker.',
  ],
  // What the runtime is linked to: the symbols' versions that the official binary asks for.
  preDepends: { debian: ['libc6 (>= 2.28)'] },
  depends: {
    debian: [
      'libstdc++6 (>= 5.2)',
      'libgcc-s1 | libgcc1',
      'iproute2',
      'nftables',
      'systemd | systemd-standalone-sysusers',
      'util-linux',
      'passwd',
    ],
    rpm: [
      'glibc >= 2.28',
      'libstdc++ >= 5.2',
      'libgcc',
      'iproute',
      'nftables',
      'systemd',
      'util-linux',
      'shadow-utils',
      'findutils',
    ],
  },
  // The roots that gateways' certificates are checked against, the keychain, and the engine of the few gateways that
  // our own cannot be used with.
  recommends: {
    debian: ['ca-certificates', 'libsecret-1-0', 'openconnect'],
    rpm: ['ca-certificates', 'libsecret', 'openconnect'],
  },
  scripts: coreScripts,
};
