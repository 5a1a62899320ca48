import { desktopPlatform } from '#node/os/desktop-platform.ts';
import type { ControlClient, UsableServer } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { readEnvironment } from '../../environment.ts';
import type { CommandContext } from '../command-context.ts';
import { checkActualWay } from './actual-way.ts';
import { checkNames } from './check-names.ts';
import { checkEngine } from './engine-check.ts';
import { checkExperience } from './experience.ts';
import type { Finding } from './finding.ts';
import { checkHelper } from './helper-check.ts';
import { checkInstallation } from './installation-check.ts';
import { checkGateway, checkService } from './remote-services.ts';
import { checkSignIn } from './sign-in-check.ts';
import { thisSystem } from './this-system.ts';
import { checkWayOut, serviceThroughProxy } from './way-out-check.ts';

/** Runs all checks that are possible in this situation; in the order of their names. Changes nothing. */
export async function runChecks(context: CommandContext): Promise<Finding[]> {
  const { say, env, platform } = context;
  const { apiUrl, helperSocket } = readEnvironment(env, platform);
  const service = serviceAt(apiUrl);
  const helper = await checkHelper(helperSocket, context);
  const tunnel = helper.state;
  const client = await coreClient(context);
  const server = client && (await chosenServer(client));
  const isClosed = isBlocked(tunnel);
  return [
    helper.finding,
    checkEngine(helper.engines, say),
    ...(await checkInstallation(tunnel, say)),
    ...(await thisSystem.check(env, say)),
    ...(await checkSignIn(client, say)),
    // While traffic is blocked, nothing can be reached, and that is correct.
    ...(isClosed ? [] : await outsideFindings()),
    ...(await checkActualWay({ tunnel, service, client, say })),
    ...checkExperience(desktopPlatform(platform), say),
  ].toSorted((one, other) => checkNames.indexOf(one.check) - checkNames.indexOf(other.check));

  async function outsideFindings(): Promise<Finding[]> {
    const way = await client?.wayOut.check().catch(() => undefined);
    const found = way ? [checkWayOut(way, say)] : [];
    // In the tunnel, a proxy is not asked.
    if (!way?.proxy || tunnel.state === 'connected')
      return [...found, ...(await checkService(apiUrl, say)), await gatewayFinding(tunnel, server, say)];
    return [
      ...found,
      ...serviceThroughProxy(way, { host: service.host, say }),
      { check: 'gateway', outcome: 'unknown' },
    ];
  }
}

/** Not needed while connected; and a gateway may not be reachable from inside the tunnel. */
const gatewayFinding = async (
  { state }: TunnelState,
  server: UsableServer | undefined,
  say: Say,
): Promise<Finding> =>
  state === 'connected' ? { check: 'gateway', outcome: 'ok' } : await checkGateway(server, say);

/** Undefined if there is no core to ask. */
const coreClient = async (context: CommandContext): Promise<ControlClient | undefined> =>
  await context.core().then(
    ({ client }) => client,
    () => undefined,
  );

/** Undefined if nobody is signed in. */
async function chosenServer(client: ControlClient): Promise<UsableServer | undefined> {
  const listed = await client.servers.list().catch(() => null);
  return listed?.find(({ isChosen }) => isChosen);
}

function serviceAt(apiUrl: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(apiUrl);
  return { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}
