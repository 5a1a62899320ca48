import { networkInterfaces } from 'node:os';
import { serviceStatus } from './service-status.ts';
import type { Say } from '#shared/texts/say.ts';
import { finding, type Finding } from '../finding.ts';

/** What is asked of this computer, which tests play. */
export interface Computer {
  interfaces: () => ReturnType<typeof networkInterfaces>;
  /** Undefined if there is no such service, or Windows does not say. */
  isRunning: (service: string) => boolean | undefined;
}

/** The base filtering engine, without which Windows does not start the helper (helper/windows/service). */
const filteringEngine = 'BFE';
/** Names that other programs give to their adapters. */
const tunnelNames =
  /tailscale|zerotier|nordlynx|proton|mullvad|openvpn|wireguard|wintun|anyconnect|globalprotect|fortinet|^tap-/i;

export function checkThisComputer({ interfaces, isRunning }: Computer, say: Say): Finding[] {
  const others = Object.keys(interfaces()).filter((name) => tunnelNames.test(name));
  const isFiltering = isRunning(filteringEngine);
  return [
    isFiltering === undefined
      ? { check: 'filter', outcome: 'unknown' }
      : finding('filter', isFiltering, say('doctor.filterEngineOff')),
    finding('other-vpn', others.length === 0, say('doctor.otherVpnFound', { devices: others.join(', ') })),
  ];
}

export const thisComputer: Computer = {
  interfaces: networkInterfaces,
  isRunning(service) {
    try {
      return serviceStatus(service)?.isRunning;
    } catch {
      return undefined;
    }
  },
};
