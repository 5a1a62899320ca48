import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { finding, type Finding } from './finding.ts';
import { limitMs } from './remote-services.ts';
import { thisSystem } from './this-system.ts';

interface ProxyCheckOptions {
  /** From the state. */
  proxy: { address: string; pacUrl: string };
  service: { host: string; port: number };
  serviceAddresses: readonly string[];
  client: ControlClient;
  say: Say;
}

/** Whether programs find the proxy, and the proxy sends through the tunnel and refuses what it has to refuse. */
export async function checkProxy(options: ProxyCheckOptions): Promise<Finding> {
  const { proxy, service, serviceAddresses, client, say } = options;
  const wrong = (text: string) => finding('proxy', false, text);
  const file = await fetch(proxy.pacUrl, { signal: AbortSignal.timeout(limitMs), redirect: 'error' })
    .then(async (reply) => (reply.ok ? await reply.text() : ''))
    .catch(() => '');
  if (!file.includes(proxy.address)) return wrong(say('doctor.pacMissing'));
  // The proxy's, which should be sent through the tunnel.
  const uid = await thisSystem.listenerUser(proxy.address);
  for (const address of uid === undefined ? [] : serviceAddresses) {
    const route = await thisSystem.routeTo(address, uid);
    if (route && !route.isTunnel) return wrong(say('doctor.proxyRouteWrong', { device: route.device }));
  }
  const samples = await client.routing.samples({ addresses: [] }).catch(() => undefined);
  const refused = [proxy.address, ...(samples?.refusedName ? [`${samples.refusedName}:443`] : [])];
  for (const target of refused) {
    const status = await statusOfConnect(proxy.address, target);
    if (status === undefined) return wrong(say('doctor.proxySilent', { address: proxy.address }));
    if (status !== forbidden) return wrong(say('doctor.proxyOpen', { target }));
  }
  const host = service.host.includes(':') ? `[${service.host}]` : service.host;
  const status = await statusOfConnect(proxy.address, `${host}:${service.port}`);
  return finding('proxy', status === 200, say('doctor.proxyCutOff'));
}

const forbidden = 403;

/** The proxy's answer to CONNECT; undefined if there is none. */
async function statusOfConnect(proxyAddress: string, target: string): Promise<number | undefined> {
  const [host = '', port] = proxyAddress.split(':');
  const asked = request({ host, port, method: 'CONNECT', path: target, agent: false });
  asked.on('error', () => undefined);
  asked.end();
  try {
    const [reply, tunnel] = (await once(asked, 'connect', { signal: AbortSignal.timeout(2 * limitMs) })) as [
      IncomingMessage,
      Socket,
    ];
    tunnel.destroy();
    return reply.statusCode;
  } catch {
    return undefined;
  } finally {
    asked.destroy();
  }
}
