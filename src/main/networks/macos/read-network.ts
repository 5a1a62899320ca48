import { z } from 'zod';
import type { CurrentNetwork } from '#shared/networks.ts';
import type { RunProgram } from '../../run-program.ts';
import type { NetworkInUse } from '../networks.ts';
import { isWifiPort, readHardwarePorts } from './hardware-ports.ts';

/** What was read last, and by what it is recognised: asking for a Wi-Fi network's name takes seconds. */
export interface KnownNetwork {
  network: NetworkInUse;
  /** What the system says of the connection, which is another one in any other network. */
  signs: string;
}

interface DefaultRoute {
  device: string;
  /** Of the router; empty if there is none. */
  gateway: string;
}

const none: NetworkInUse = { network: { kind: 'none' }, id: '' };

/** Devices that lead through another one. */
const tunnelDevice = /^(?:utun|ipsec|ppp|tun|tap|gpd|feth)\d/;

/**
 * The network to which macOS sends the computer's traffic, below any tunnel; undefined if its programs are not there.
 * `known` is what this has read before.
 */
export async function readNetwork(run: RunProgram, known?: KnownNetwork): Promise<KnownNetwork | undefined> {
  const route = await findRoute(run);
  if (!route) return undefined;
  if (route === 'none') return { network: none, signs: '' };
  const { device, gateway } = route;
  const kind = await kindOf(run, device);
  if (kind === undefined) return undefined;
  if (kind !== 'wifi') {
    const id = `${kind} ${device} ${gateway}`;
    // A modem in somebody's mobile network looks like one that dials in by cable.
    const limits = kind === 'phone' || device.startsWith('ppp') ? ({ isMetered: true } as const) : {};
    return { network: { network: { kind: kind === 'phone' ? 'other' : kind }, id, ...limits }, signs: id };
  }
  const signs = `${device} ${gateway}\n${await signsOf(run, device)}`;
  if (known?.signs === signs) return known;
  const found = await readWifi(run, device);
  // Asked for again at the next look.
  if (!found)
    return { network: { network: { kind: 'wifi', isProtected: false }, id: `wifi ? ${gateway}` }, signs: '' };
  // Where its name is kept back, networks whose routers have the same address count as the same one.
  const id = `wifi ${found.ssid ?? `? ${gateway}`} ${found.isProtected}`;
  return { network: { network: found, id }, signs };
}

/** By route(8); where another VPN has taken the default route, by the scoped ones that netstat(1) lists. */
async function findRoute(run: RunProgram): Promise<DefaultRoute | 'none' | undefined> {
  for (const family of [[], ['-inet6']]) {
    // It fails where there is no default route.
    const text = await run('/sbin/route', ['-n', 'get', ...family, 'default']).catch(() => '');
    if (text === undefined) return undefined;
    const device = /^ *interface: (\S+)$/m.exec(text)?.[1];
    if (device === undefined) continue;
    const gateway = /^ *gateway: (\S+)$/m.exec(text)?.[1] ?? '';
    if (!tunnelDevice.test(device)) return { device, gateway };
    const below = await scopedRoute(run);
    if (below) return below;
    // No VPN's device has nothing below it: this one leads out itself (PPPoE, modems).
    if (device.startsWith('ppp')) return { device, gateway };
  }
  return 'none';
}

async function scopedRoute(run: RunProgram): Promise<DefaultRoute | undefined> {
  const text = await run('/usr/sbin/netstat', ['-rn', '-f', 'inet']).catch(() => undefined);
  for (const line of (text ?? '').split('\n')) {
    const [destination, gateway = '', , device = ''] = line.trim().split(/\s+/);
    // Without a router, it is only there for programs that ask for that device.
    if (destination === 'default' && /^\d/.test(gateway) && device !== '' && !tunnelDevice.test(device))
      return { device, gateway };
  }
  return undefined;
}

/** Hardware ports that lead into somebody's mobile network or phone. */
const otherPort = /iphone|ipad|bluetooth|modem|wwan|cellular/i;

/**
 * By the port's name in networksetup(8); what is none of the ports, as those of VLANs and of several cables at once, is
 * nothing that a person has plugged in, and no phone either.
 */
async function kindOf(
  run: RunProgram,
  device: string,
): Promise<Exclude<CurrentNetwork['kind'], 'none'> | 'phone' | undefined> {
  const ports = await readHardwarePorts(run);
  if (!ports) return undefined;
  const found = ports.find((one) => one.device === device);
  if (!found) return 'other';
  if (isWifiPort(found)) return 'wifi';
  return otherPort.test(found.port) ? 'phone' : 'wired';
}

/**
 * What ipconfig(8) says of a connection that another network would have otherwise. Its own lines for the name are not
 * used: a name can have line breaks, and whole lines in it. Where it cannot be asked, the name is asked for each time.
 */
async function signsOf(run: RunProgram, device: string): Promise<string> {
  const text = await run('/usr/sbin/ipconfig', ['getsummary', device]).catch(() => undefined);
  const lines = (text ?? '').split('\n').filter((line) => sign.test(line));
  return lines.length > 0 ? lines.join('\n') : `unknown ${performance.now()}`;
}
const sign = /^\s*(?:BSSID|ConnectionID|LeaseStartTime|NetworkID|SSID|Security) : /;

/** `system_profiler -json SPAirPortDataType`, with the names of its keys since macOS 10.15. */
const profile = z.object({
  SPAirPortDataType: z.array(
    z.object({
      spairport_airport_interfaces: z
        .array(
          z.object({
            _name: z.string().catch(''),
            spairport_current_network_information: z
              .object({ _name: z.string().catch(''), spairport_security_mode: z.string().catch('') })
              .optional()
              .catch(undefined),
          }),
        )
        .catch([]),
    }),
  ),
});

/** What proves that one has a password or an account. Apple leaves out the first letter of one of them. */
const provesMembership = /^s?pairport_security_mode_wpa[23]?_(?:personal|enterprise|transition)/;

/** In place of a name that macOS keeps back from programs without access to locations. */
const keptBack = '<redacted>';

/** Undefined if the system does not say anything of a network that this device is in. */
async function readWifi(
  run: RunProgram,
  device: string,
): Promise<Extract<CurrentNetwork, { kind: 'wifi' }> | undefined> {
  const words = ['-json', '-detailLevel', 'basic', 'SPAirPortDataType'];
  const text = await run('/usr/sbin/system_profiler', words).catch(() => undefined);
  const joined = readProfile(text ?? '')
    ?.SPAirPortDataType.flatMap((one) => one.spairport_airport_interfaces)
    .find(({ _name }) => _name === device)?.spairport_current_network_information;
  if (!joined) return undefined;
  const { _name: name, spairport_security_mode: mode } = joined;
  const bytes = Buffer.from(name);
  const isKnown = name !== keptBack && bytes.length > 0 && bytes.length <= 32;
  return {
    kind: 'wifi',
    ...(isKnown && { ssid: bytes.toString('hex') }),
    isProtected: provesMembership.test(mode),
  };
}

function readProfile(text: string): z.output<typeof profile> | undefined {
  try {
    return profile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
