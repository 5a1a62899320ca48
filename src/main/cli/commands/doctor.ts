import pino from 'pino';
import type { ControlClient, UsableServer } from '#shared/control/contract.ts';
import type { EngineKind } from '#shared/helper/protocol.ts';
import type { Say } from '#shared/texts/say.ts';
import { causeTexts } from '#shared/texts/tunnel-texts.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { readEnvironment } from '../../environment.ts';
import { openHelperConnection } from '../../tunnel/helper-connection.ts';
import type { CommandContext } from '../command-context.ts';
import { checkActualWay } from '../doctor/actual-way.ts';
import { checkNames, type CheckName, type Finding } from '../doctor/finding.ts';
import { checkGateway, checkService } from '../doctor/remote-services.ts';
import { checkEngine } from '../doctor/engine-check.ts';
import { checkInstallation } from '../doctor/installation-check.ts';
import { checkWayOut, serviceThroughProxy } from '../doctor/way-out-check.ts';
import { thisSystem } from '../doctor/this-system.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines } from '../terminal.ts';
import { keptText } from './status.ts';

const marks = { ok: '✓', problem: '✗', unknown: '–' } as const;

/** Says what is wrong, in the user's language. Changes nothing. */
export async function doctor(context: CommandContext): Promise<ExitCode> {
  const { terminal, say, env, platform } = context;
  const { apiUrl, helperSocket } = readEnvironment(env, platform);
  const service = serviceAt(apiUrl);
  const helper = await askHelper(helperSocket, context);
  const tunnel = helper.state;
  const client = await coreClient(context);
  const server = client && (await chosenServer(client));
  const isClosed = isBlocked(tunnel);
  const findings = [
    helper.finding,
    checkEngine(helper.engines, say),
    ...(await checkInstallation(tunnel, say)),
    ...(await thisSystem.check(env, say)),
    ...(await checkSignIn(client, say)),
    // While traffic is blocked, nothing can be reached, and that is correct.
    ...(isClosed ? [] : await outsideFindings()),
    ...(await checkActualWay({ tunnel, service, client, say })),
  ].toSorted((one, other) => checkNames.indexOf(one.check) - checkNames.indexOf(other.check));
  async function outsideFindings(): Promise<Finding[]> {
    const way = await client?.wayOut.check().catch(() => undefined);
    const found = way ? [checkWayOut(way, say)] : [];
    // In the tunnel, a proxy is not asked.
    if (!way?.proxy || tunnel.state === 'connected')
      return [...found, ...(await checkService(apiUrl, say)), await gatewayFinding(tunnel, server, context)];
    return [
      ...found,
      ...serviceThroughProxy(way, { host: service.host, say }),
      { check: 'gateway', outcome: 'unknown' },
    ];
  }

  if (context.isJson) {
    const checks = findings.map(({ check, outcome, text }) => ({ check, outcome, message: text ?? null }));
    terminal.out(JSON.stringify({ checks }));
  } else show(context, findings);
  return findings.some(({ outcome }) => outcome === 'problem') ? exitCode.problems : exitCode.done;
}

/** Asks the helper itself, whatever the core's view of it is. */
async function askHelper(
  socketPath: string,
  { version, say }: CommandContext,
): Promise<{ finding: Finding; state: TunnelState; engines?: readonly EngineKind[] | undefined }> {
  const log = pino({ level: 'silent' });
  const helper = await openHelperConnection({ socketPath, version, onState: () => undefined, log });
  const absent = (cause: keyof typeof causeTexts) => ({
    finding: {
      check: 'helper',
      outcome: 'problem',
      text: `${say(causeTexts[cause].title)}. ${say(causeTexts[cause].text)}`,
    } as const,
    state: { state: 'invalid', cause } as const,
  });
  if (typeof helper === 'string') return absent(helper);
  try {
    const state = await helper.call('snapshot', {});
    const { engines } = helper;
    if (state.state === 'invalid') return { ...absent(state.cause), state, engines };
    return { finding: { check: 'helper', outcome: 'ok' }, state, engines };
  } catch {
    return absent('helper-absent');
  } finally {
    helper.close();
  }
}

/** Whether the sign-in outlives the process that has it; nothing if nobody is signed in. */
async function checkSignIn(client: ControlClient | undefined, say: Say): Promise<Finding[]> {
  const session = await client?.session.get().catch(() => undefined);
  if (!session?.signedIn) return [];
  if (session.persistence === 'memory')
    return [{ check: 'sign-in', outcome: 'problem', text: say('command.inMemory') }];
  const text = keptText(session);
  return [{ check: 'sign-in', outcome: 'ok', text: text && say(text) }];
}

/** Not needed while connected; and a gateway may not be reachable from inside the tunnel. */
const gatewayFinding = async (
  { state }: TunnelState,
  server: UsableServer | undefined,
  { say }: CommandContext,
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

function show({ terminal, say }: CommandContext, findings: readonly Finding[]): void {
  const titles: Record<CheckName, string> = {
    helper: say('doctor.helper'),
    installation: say('doctor.installation'),
    engine: say('doctor.engine'),
    users: say('doctor.users'),
    device: say('doctor.device'),
    disk: say('doctor.disk'),
    filter: say('doctor.filter'),
    resolver: say('doctor.resolver'),
    clock: say('doctor.clock'),
    'sign-in': say('command.keptIn'),
    'way-out': say('doctor.wayOut'),
    service: say('doctor.service'),
    gateway: say('doctor.gateway'),
    'other-vpn': say('doctor.otherVpn'),
    route: say('doctor.route'),
    probe: say('doctor.probe'),
    proxy: say('doctor.proxy'),
    group: say('doctor.group'),
  };
  const rows = findings.map(({ check, outcome, text }) => [
    marks[outcome],
    titles[check],
    text ?? say(outcome === 'unknown' ? 'doctor.notChecked' : 'doctor.ok'),
  ]);
  for (const line of tableLines(rows)) terminal.out(line);
}
