import type { DesktopProxies } from '../desktop-proxies-port.ts';
import type { PacSettings, ProxySettings } from '../proxy-settings.ts';
import type { RunProgram } from '../../run-program.ts';

/** Each network service of macOS has proxy settings of its own; a new one has none of ours. */
export function createMacosProxies(run: RunProgram): DesktopProxies {
  return {
    async current() {
      const listed = await run('networksetup', ['-listallnetworkservices']);
      // The first line explains the asterisk, which is in front of services that are switched off.
      const names = (listed ?? '').split('\n').slice(1).filter(Boolean);
      return names.filter((name) => !name.startsWith('*')).map((name) => `${prefix}${name}`);
    },
    at(place) {
      if (!place.startsWith(prefix)) throw new Error(`no proxy settings of ${place} here`);
      return createServiceProxy(run, place.slice(prefix.length));
    },
  };
}

const prefix = 'service:';

/** What networksetup(8) says in the place of an address that was never set. */
const noAddress = ['(null)', ''];

function createServiceProxy(run: RunProgram, service: string): ProxySettings {
  async function readBoth(): Promise<PacSettings<string> | undefined> {
    const text = await run('networksetup', ['-getautoproxyurl', service]);
    const address = /^URL: ?(.*)$/m.exec(text ?? '')?.[1];
    const isOn = /^Enabled: (Yes|No)$/m.exec(text ?? '')?.[1];
    // Also for a service that is gone, or has another name by now.
    if (address === undefined || isOn === undefined) return undefined;
    return { address, mode: isOn === 'Yes' ? 'on' : 'off' };
  }

  return {
    async read() {
      const found = await readBoth();
      if (!found) return undefined;
      const address = noAddress.includes(found.address) ? null : found.address;
      return { own: { address, mode: found.mode }, effective: found };
    },
    async write(changes) {
      const wanted = new Map(changes);
      const before = await readBoth();
      if (!before) throw new Error(`there is no network service ${service}`);
      const mode = wanted.get('mode') ?? before.mode;
      const address = wanted.get('address');
      // Off before the address changes: what reads it must not use another one without being told to.
      if (mode === 'off') await run('networksetup', ['-setautoproxystate', service, 'off']);
      // This switches it on.
      if (address !== undefined) await run('networksetup', ['-setautoproxyurl', service, address ?? '']);
      await run('networksetup', ['-setautoproxystate', service, mode]);
    },
    pointingAt: (pacUrl) => ({ address: pacUrl, mode: 'on' }),
  };
}
