import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Say } from '#shared/texts/say.ts';
import type { RunProgram } from '../../../run-program.ts';
import { finding, type Finding } from '../finding.ts';

/** The accounts that the installer's script makes (resources/macos/installer). */
const users = ['_waymaker-engine', '_waymaker-proxy'];
/** Names that macOS gives to the tunnel devices of others. */
const tunnelNames = /^(?:utun|ipsec|ppp|tun|tap|gpd|feth)\d/;

/** What the main rule set asks all of Apple's anchors by; the helper's is among them (helper/macos/identifiers.ts). */
const asking = /^\s*anchor\s+"com\.apple\/\*"/m;

/** What is at hand of this computer; a test gives another one's. */
export interface Computer {
  run: RunProgram;
  /** Undefined if it cannot be read. */
  filterRules: () => Promise<string | undefined>;
  interfaces: typeof networkInterfaces;
}

export const thisComputer = (run: RunProgram): Computer => ({
  run,
  filterRules: () => readFile('/etc/pf.conf', 'utf8').catch(() => undefined),
  interfaces: networkInterfaces,
});

/** `own`: the helper's tunnel devices. */
export async function checkThisComputer(
  { run, filterRules, interfaces }: Computer,
  own: readonly string[],
  say: Say,
): Promise<Finding[]> {
  const isThere = await Promise.all(users.map((user) => hasUser(run, user)));
  const missing = users.filter((_, index) => !isThere[index]);
  const rules = await filterRules();
  const others = Object.entries(interfaces()).flatMap(([name, addresses = []]) =>
    tunnelNames.test(name) && !own.includes(name) && addresses.some(isOfVpn) ? [name] : [],
  );
  return [
    finding('users', missing.length === 0, say('doctor.usersMissing', { users: missing.join(', ') })),
    // Which rules are loaded is for root to see: those of the file are, unless somebody has loaded others.
    rules === undefined
      ? { check: 'filter', outcome: 'unknown' }
      : finding('filter', asking.test(rules), say('doctor.filterAnchorMissing')),
    finding('other-vpn', others.length === 0, say('doctor.otherVpnFound', { devices: others.join(', ') })),
  ];
}

/** By id(1), as directory services have them, too. */
const hasUser = (run: RunProgram, name: string): Promise<boolean> =>
  run('id', ['-u', name]).then(
    (text) => text !== undefined,
    () => false,
  );

/** macOS has tunnels of its own on any machine, with local addresses of IPv6 alone. */
const isOfVpn = ({ family, address }: { family: string; address: string }): boolean =>
  family === 'IPv4' || /^[23]/.test(address);
