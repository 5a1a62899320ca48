import path from 'node:path';
import type { Say } from '#shared/texts/say.ts';
import type { CommandTextKey } from '#shared/texts/command-texts.ts';
import { selfTestReport, writeReport, type Findings } from '../../self-test/report.ts';
import type { Ending, Lack } from '../../self-test/self-test.ts';
import { systemSelfTest } from '../../self-test/system-self-test.ts';
import type {
  CheckName,
  Engine,
  Message,
  Obstacle,
  Observer,
  Unchecked,
  Verdict,
} from '../../self-test/verdict.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { helperProgram } from '../helper-program.ts';
import { tableLines } from '../terminal.ts';

const marks = { passed: '✓', failed: '✗', 'not-checked': '–' } as const;

/**
 * Proves on this computer that the product does what it promises: runs it in a network of its own, and looks at what leaves
 * it. Changes nothing outside of that.
 */
export async function selfTest(
  context: CommandContext,
  { reportFile, engine }: { reportFile: string | undefined; engine: Engine | undefined },
): Promise<ExitCode> {
  const { say, platform, terminal, version, env } = context;
  const system = systemSelfTest(platform);
  if (!system) throw new CommandProblem(exitCode.unavailable, 'unsupported', say('selfTest.unsupported'));
  const lack = system.lack();
  if (lack) throw problemOf(lack, say);
  const helper = helperProgram();
  if (helper === undefined)
    throw new CommandProblem(exitCode.unavailable, 'helper-absent', say('cause.helperAbsent'));

  const found = new Collection();
  if (!context.isJson) terminal.note(say('selfTest.begins'));
  const ending = await system.run(
    { helper, commandLine: path.resolve(process.argv[1] ?? ''), version, ...(engine && { engine }) },
    {
      signal: context.interrupted,
      onMessage(message) {
        found.take(message);
        if (message.kind !== 'verdict' || context.isJson) return;
        const check = say(checkTexts[message.verdict.check]);
        const words = { check, result: say(resultTexts[message.verdict.outcome]) };
        terminal.note(say('selfTest.done', words));
      },
    },
  );
  if (ending.kind === 'interrupted') throw new CommandProblem(exitCode.interrupted, 'interrupted', '');
  const obstacle = found.obstacle ?? diedOf(ending);

  let isReported = true;
  if (reportFile !== undefined) {
    const findings: Findings = {
      ...found.findings(),
      obstacle: obstacle && `${obstacle.kind}: ${obstacle.detail}`,
    };
    const text = selfTestReport({ at: new Date(), version, findings, env });
    isReported = report(context, reportFile, text);
  }
  if (obstacle && found.verdicts.length === 0) throw obstacleProblem(obstacle, say);
  show(context, found.verdicts, obstacle);
  if (obstacle) terminal.note(obstacleProblem(obstacle, say).message);
  return isReported ? exitCodeOf(found.verdicts, obstacle !== undefined) : exitCode.failed;
}

interface Stop {
  kind: Obstacle;
  detail: string;
}

/** What the part inside has told. */
class Collection {
  readonly verdicts: Verdict[] = [];
  obstacle: Stop | undefined;
  #facts: Record<string, string> = {};
  #coreLog: string[] = [];
  #helperLog: string[] = [];

  take(message: Message): void {
    if (message.kind === 'verdict') this.verdicts.push(message.verdict);
    if (message.kind === 'obstacle') this.obstacle = { kind: message.obstacle, detail: message.detail };
    if (message.kind !== 'end') return;
    this.#facts = message.facts;
    this.#coreLog = message.coreLog;
    this.#helperLog = message.helperLog;
  }

  findings(): Omit<Findings, 'obstacle'> {
    return {
      verdicts: this.verdicts,
      facts: this.#facts,
      coreLog: this.#coreLog,
      helperLog: this.#helperLog,
    };
  }
}

/** Before it has said anything, it is the system that refuses what it needs. */
function diedOf(ending: Ending): Stop | undefined {
  if (ending.kind !== 'died') return undefined;
  const isRefused = /unshare|setpriv|not permitted|mount/i.test(ending.output);
  return { kind: isRefused ? 'no-namespaces' : 'broken', detail: lastLine(ending.output) };
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

function problemOf(lack: Lack, say: Say): CommandProblem {
  const unavailable = exitCode.unavailable;
  switch (lack.kind) {
    case 'not-root':
      return new CommandProblem(unavailable, 'not-root', say('selfTest.needsRoot'));
    case 'no-tun':
      return new CommandProblem(unavailable, 'no-tun', say('selfTest.noTun', { problem: lack.detail }));
    case 'no-program':
      return new CommandProblem(
        unavailable,
        'no-program',
        say('selfTest.noProgram', { program: lack.program }),
      );
    default:
      return lack satisfies never;
  }
}

const obstacleTexts = {
  'no-namespaces': 'selfTest.noNamespaces',
  'no-packet-filter': 'selfTest.noPacketFilter',
  'no-helper': 'selfTest.noHelper',
  'no-sign-in': 'selfTest.noSignIn',
  broken: 'selfTest.broken',
} as const satisfies Record<Obstacle, CommandTextKey>;

const obstacleProblem = ({ kind, detail }: Stop, say: Say): CommandProblem =>
  new CommandProblem(exitCode.unavailable, kind, say(obstacleTexts[kind], { problem: detail }));

function report({ terminal, say, env }: CommandContext, file: string, text: string): boolean {
  try {
    writeReport(file, text, env);
    terminal.note(say('selfTest.reported', { file }));
    return true;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    terminal.note(say('selfTest.notReported', { file, problem }));
    return false;
  }
}

/** What it ends with; `isStopped`: before it has come to its end. */
export function exitCodeOf(verdicts: readonly Verdict[], isStopped: boolean): ExitCode {
  const has = (wanted: Verdict['outcome']) => verdicts.some(({ outcome }) => outcome === wanted);
  if (has('failed')) return exitCode.failed;
  return isStopped || has('not-checked') ? exitCode.unchecked : exitCode.done;
}

const checkTexts = {
  tunnel: 'selfTest.tunnel',
  ipv4: 'selfTest.ipv4',
  ipv6: 'selfTest.ipv6',
  names: 'selfTest.names',
  plain: 'selfTest.plain',
  'other-ip-version': 'selfTest.otherIpVersion',
  'other-resolvers': 'selfTest.otherResolvers',
  'bound-sockets': 'selfTest.boundSockets',
  'others-routes': 'selfTest.othersRoutes',
  neighbours: 'selfTest.neighbours',
  'engine-killed': 'selfTest.engineKilled',
  'helper-killed': 'selfTest.helperKilled',
  'local-network': 'selfTest.localNetwork',
  automatic: 'selfTest.automatic',
  'by-address': 'selfTest.byAddress',
  'by-app': 'selfTest.byApp',
  restored: 'selfTest.restored',
} as const satisfies Record<CheckName, CommandTextKey>;

const whyTexts = {
  'no-observer': 'selfTest.noObserver',
  'no-control': 'selfTest.noControl',
  'no-ipv6': 'selfTest.noIpv6',
  'no-second-computer': 'selfTest.noSecondComputer',
  'not-offered': 'selfTest.notOffered',
  'no-tunnel': 'selfTest.noTunnel',
  'no-time': 'selfTest.noTime',
} as const satisfies Record<Unchecked, CommandTextKey>;

const observerTexts = {
  uplink: 'selfTest.seenByUplink',
  'far-side': 'selfTest.seenByFarSide',
  system: 'selfTest.seenBySystem',
  neighbour: 'selfTest.seenByNeighbour',
} as const satisfies Record<Observer, CommandTextKey>;

const resultTexts = {
  passed: 'selfTest.passed',
  failed: 'selfTest.failed',
  'not-checked': 'selfTest.notChecked',
} as const satisfies Record<Verdict['outcome'], CommandTextKey>;

/** `stopped`: why it has not come to its end, if so. */
function show(
  { terminal, say, isJson }: CommandContext,
  verdicts: readonly Verdict[],
  stopped: Stop | undefined,
): void {
  if (isJson) {
    const checks = verdicts.map(({ check, observers, ...rest }) => ({
      name: check,
      seenBy: observers,
      ...rest,
    }));
    terminal.out(JSON.stringify({ checks, ...(stopped && { stopped: stopped.kind }) }));
    return;
  }
  const lines = tableLines([
    ['', say('selfTest.columnCheck'), say('selfTest.columnResult'), say('selfTest.columnObserver')],
    ...verdicts.map(({ check, outcome, observers }) => [
      marks[outcome],
      say(checkTexts[check]),
      say(resultTexts[outcome]),
      observers.map((observer) => say(observerTexts[observer])).join(', '),
    ]),
  ]);
  terminal.out(lines[0] ?? '');
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict.engine !== verdicts[index - 1]?.engine)
      terminal.out(say('selfTest.engine', { engine: verdict.engine }));
    terminal.out(lines[index + 1] ?? '');
    if (verdict.why !== undefined) terminal.out(`   ${say(whyTexts[verdict.why])}`);
    for (const detail of verdict.details) terminal.out(`   ${detail}`);
  }
  const counted = (wanted: Verdict['outcome']) =>
    String(verdicts.filter(({ outcome }) => outcome === wanted).length);
  const count = String(verdicts.length);
  const [failed, unchecked] = [counted('failed'), counted('not-checked')];
  if (failed !== '0') terminal.out(say('selfTest.someFailed', { count, failed }));
  else if (unchecked !== '0') terminal.out(say('selfTest.someUnchecked', { count, unchecked }));
  else terminal.out(say('selfTest.allPassed', { count }));
}
