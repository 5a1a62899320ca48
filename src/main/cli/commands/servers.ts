import type { UsableServer } from '#shared/control/contract.ts';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import { languageTags } from '#shared/language.ts';
import { withProxyForms } from '../answer-forms.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines } from '../terminal.ts';

export async function servers(
  context: CommandContext,
  { isMeasured }: { isMeasured: boolean },
): Promise<ExitCode> {
  const { terminal, say } = context;
  const { client } = await context.core();
  const listed = await withProxyForms(context, client, () => listServers(context));
  const latencies = new Map<string, ServerLatency>();
  if (isMeasured) {
    client.servers.measured((measured) => {
      for (const one of measured) latencies.set(one.serverId, one);
    });
    const outcome = await client.servers.measure();
    if (outcome === 'blocked') terminal.note(say('command.notMeasuredBlocked'));
    if (outcome === 'busy') terminal.note(say('command.notMeasuredBusy'));
  }
  if (context.isJson) {
    const measured = ({ serverId }: UsableServer) => {
      const latency = latencies.get(serverId);
      if (!isMeasured || !latency) return {};
      return { milliseconds: latency.milliseconds, throughTunnel: latency.throughTunnel };
    };
    const entries = listed.map((server) => ({ ...server, ...measured(server) }));
    terminal.out(JSON.stringify({ servers: entries }));
    return exitCode.done;
  }
  if (listed.length === 0) {
    terminal.note(say('command.noServers'));
    return exitCode.done;
  }
  const country = countryNames(context);
  const latencyText = ({ serverId }: UsableServer) => {
    const latency = latencies.get(serverId);
    if (!latency) return '';
    if (latency.milliseconds === null) return say('command.noAnswer');
    return say('command.milliseconds', { number: String(Math.round(latency.milliseconds)) });
  };
  const rows = [
    ['', ...columns(context, isMeasured)],
    ...listed.map((server) => [
      server.isChosen ? '*' : '',
      server.name,
      server.serverId,
      [server.country === null ? '' : country(server.country), server.city ?? ''].filter(Boolean).join(', '),
      server.group,
      ...(isMeasured ? [latencyText(server)] : []),
    ]),
  ];
  for (const line of tableLines(rows)) terminal.out(line);
  return exitCode.done;
}

const columns = ({ say }: CommandContext, isMeasured: boolean) => [
  say('command.columnName'),
  say('command.columnId'),
  say('command.columnCountry'),
  say('command.columnGroup'),
  ...(isMeasured ? [say('command.columnLatency')] : []),
];

function countryNames(context: CommandContext): (code: string) => string {
  const names = new Intl.DisplayNames([languageTags[context.language()]], { type: 'region' });
  return (code) => names.of(code) ?? code;
}

/** Throws a `CommandProblem` if nobody is signed in, or if the service has not said which servers there are. */
export async function listServers(context: CommandContext): Promise<UsableServer[]> {
  const { say } = context;
  const { client } = await context.core();
  if (!(await client.session.get()).signedIn)
    throw new CommandProblem(exitCode.notSignedIn, 'not-signed-in', say('command.notSignedIn'));
  const listed = await client.servers.list();
  if (!listed) throw new CommandProblem(exitCode.failed, 'servers-unknown', say('command.serversUnknown'));
  return listed;
}
