import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { Say } from '#shared/texts/say.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Finding } from './finding.ts';
import { addressesOf, connectionFrom } from './remote-services.ts';
import { tunnelDevice } from './this-computer.ts';

/** ip-route(8); nothing is sent. */
const lookedUp = z.array(z.object({ dev: z.optional(z.string()) }));

/** Nobody's (RFC 5737): which way it would be sent tells as much as any other's. */
const anyAddress = '198.51.100.254';

/**
 * Whether traffic goes where the state says: by what the kernel would do with a packet, and by a connection to the
 * service, of which the address that it leaves with is known. With other routing than all through the tunnel, a
 * destination alone does not say where it belongs.
 */
export async function checkActualWay(
  tunnel: TunnelState,
  service: { host: string; port: number },
  say: Say,
): Promise<Finding[]> {
  const isOpen = tunnel.state === 'disconnected' && !isBlocked(tunnel);
  const isWhole = tunnel.state === 'connected' && tunnel.routing.mode === 'global';
  if (isBlocked(tunnel)) return [{ check: 'route', outcome: 'unknown' }, await checkBlocked(service, say)];
  if (!isOpen && !isWhole)
    return [
      { check: 'route', outcome: 'unknown' },
      { check: 'probe', outcome: 'unknown' },
    ];
  const found = await addressesOf(service.host);
  const ways = await Promise.all((found.length > 0 ? found : [anyAddress]).map(wayTo));
  const known = ways.filter((way) => way !== undefined);
  const wrong = known.find(({ device }) => (device === tunnelDevice) !== isWhole);
  const from = await connectionFrom(service.host, service.port);
  return [
    known.length === 0
      ? { check: 'route', outcome: 'unknown' }
      : finding('route', wrong === undefined, wrong ? say('doctor.routeWrong', wrong) : ''),
    finding('probe', from !== undefined && isOfTunnel(from, tunnel) === isWhole, wrongProbe(from, say)),
  ];
}

const finding = (check: Finding['check'], isOk: boolean, text: string): Finding =>
  isOk ? { check, outcome: 'ok' } : { check, outcome: 'problem', text };

const wrongProbe = (from: string | undefined, say: Say) =>
  from === undefined ? say('doctor.probeSilent') : say('doctor.probeWrong', { address: from });

/** Whether nothing gets out indeed. */
async function checkBlocked(service: { host: string; port: number }, say: Say): Promise<Finding> {
  const from = await connectionFrom(service.host, service.port);
  return finding('probe', from === undefined, say('doctor.blockLeaks'));
}

function isOfTunnel(address: string, tunnel: TunnelState): boolean {
  if (tunnel.state !== 'connected') return false;
  return address === tunnel.addresses.ipv4 || address === tunnel.addresses.ipv6;
}

/** By which device the kernel would send to an address; undefined where it would not, or cannot be asked. */
async function wayTo(address: string): Promise<{ address: string; device: string } | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ip', ['-json', 'route', 'get', address]);
    const device = lookedUp.parse(JSON.parse(stdout))[0]?.dev;
    return device === undefined ? undefined : { address, device };
  } catch {
    return undefined;
  }
}
