import type { CommandContext } from '../command-context.ts';
import type { CheckName } from '../doctor/check-names.ts';
import type { Finding } from '../doctor/finding.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines } from '../terminal.ts';

const marks = { ok: '✓', problem: '✗', unknown: '–' } as const;

/** Says what is wrong, in the user's language. Changes nothing. */
export async function doctor(context: CommandContext): Promise<ExitCode> {
  const findings = await runChecks(context);
  if (context.isJson) {
    const checks = findings.map(({ check, outcome, text }) => ({ check, outcome, message: text ?? null }));
    context.terminal.out(JSON.stringify({ checks }));
  } else show(context, findings);
  return findings.some(({ outcome }) => outcome === 'problem') ? exitCode.problems : exitCode.done;
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
    system: say('doctor.system'),
  };
  const rows = findings.map(({ check, outcome, text }) => [
    marks[outcome],
    titles[check],
    text ?? say(outcome === 'unknown' ? 'doctor.notChecked' : 'doctor.ok'),
  ]);
  for (const line of tableLines(rows)) terminal.out(line);
}
