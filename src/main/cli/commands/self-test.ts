import path from 'node:path';
import { readEnvironment } from '../../environment.ts';
import { readPairingCode } from '../../self-test/far-side/pairing.ts';
import { runHere } from '../../self-test/here/run-here.ts';
import { selfTestReport, writeReport, type Findings } from '../../self-test/report.ts';
import type { Ending, SelfTestSystem } from '../../self-test/self-test.ts';
import { systemSelfTest } from '../../self-test/system-self-test.ts';
import { isInPart, type Engine, type Verdict } from '../../self-test/verdict.ts';
import type { Message } from '../../self-test/messages.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { helperProgram } from '../helper-program.ts';
import { lackProblem, obstacleProblem, type Stop } from './self-test-problems.ts';
import { checkTexts, resultTexts, showVerdicts } from './self-test-table.ts';

export interface SelfTestFlags {
  json?: true;
  report?: string;
  engine?: Engine;
  serve?: true;
  /** The computer on which `--serve` runs. */
  against?: string;
  /** Nobody has to be asked. */
  yes?: true;
}

/**
 * Proves on this computer that the product does what it promises: where the system allows that, in a network of its
 * own, which changes nothing outside; otherwise, or against another computer, on this computer's own network, once
 * somebody has agreed to that.
 */
export async function selfTest(context: CommandContext, flags: SelfTestFlags): Promise<ExitCode> {
  const { say, platform, terminal, version, env } = context;
  const system = systemSelfTest(platform);
  if (!system) throw new CommandProblem(exitCode.unavailable, 'unsupported', say('selfTest.unsupported'));
  const isHere = flags.against !== undefined || !system.apart;
  const lack = (isHere ? system.here : system.apart)?.lack();
  if (lack) throw lackProblem(lack, say);
  const helper = helperProgram();
  if (helper === undefined)
    throw new CommandProblem(exitCode.unavailable, 'helper-absent', say('cause.helperAbsent'));

  const found = new Collection();
  const ending = await run(context, { system, isHere, helper, flags }, (message) => {
    found.take(message);
    if (message.kind !== 'verdict' || context.isJson) return;
    const check = say(checkTexts[message.verdict.check]);
    const words = { check, result: say(resultTexts[message.verdict.outcome]) };
    terminal.note(say('selfTest.done', words));
  });
  const obstacle = found.obstacle ?? diedOf(ending);
  if (ending.kind === 'interrupted') {
    // That its network is not as it was is what somebody has to know first.
    const message = obstacle ? obstacleProblem(obstacle, say).message : '';
    throw new CommandProblem(exitCode.interrupted, 'interrupted', message);
  }

  let isReported = true;
  if (flags.report !== undefined) {
    const findings: Findings = {
      ...found.findings(),
      obstacle: obstacle && `${obstacle.kind}: ${obstacle.detail}`,
    };
    const text = selfTestReport({ at: new Date(), version, findings, env, homes: system.homes });
    isReported = report(context, flags.report, text);
  }
  if (obstacle && found.verdicts.length === 0) throw obstacleProblem(obstacle, say);
  showVerdicts(context, found.verdicts, obstacle?.kind);
  if (obstacle) terminal.note(obstacleProblem(obstacle, say).message);
  return isReported ? exitCodeOf(found.verdicts, obstacle !== undefined) : exitCode.failed;
}

async function run(
  context: CommandContext,
  chosen: { system: SelfTestSystem; isHere: boolean; helper: string; flags: SelfTestFlags },
  onMessage: (message: Message) => void,
): Promise<Ending> {
  const { system, isHere, helper, flags } = chosen;
  const { say, terminal, version, interrupted: signal, env, platform } = context;
  const task = {
    helper,
    commandLine: path.resolve(process.argv[1] ?? ''),
    version,
    ...(flags.engine && { engine: flags.engine }),
  };
  if (!isHere && system.apart) {
    if (!context.isJson) terminal.note(say('selfTest.begins'));
    return await system.apart.run(task, { signal, onMessage });
  }
  const against = flags.against === undefined ? undefined : await readAgainst(context, flags.against);
  await confirm(context, flags.yes === true);
  const { helperSocket } = readEnvironment(env, platform);
  return await runHere({ ...task, ...(against && { against }), usualSocket: helperSocket }, system.here, {
    signal,
    onMessage,
  });
}

/** With the code that the other computer shows. */
async function readAgainst(
  { say, env, terminal }: CommandContext,
  host: string,
): Promise<{ host: string; code: string }> {
  const typed = env['WAYMAKER_SELF_TEST_CODE'] ?? (await terminal.ask(say('selfTest.askCode')));
  const code = readPairingCode(typed ?? '');
  if (code === undefined)
    throw new CommandProblem(exitCode.unavailable, 'wrong-code', say('selfTest.badCode'));
  return { host, code };
}

/** What interrupts somebody's network has to be wanted. */
async function confirm({ say, terminal }: CommandContext, isSure: boolean): Promise<void> {
  if (isSure) return;
  if ((await terminal.ask(say('selfTest.confirm')))?.trim() === 'yes') return;
  throw new CommandProblem(exitCode.usage, 'not-confirmed', say('selfTest.notConfirmed'));
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
  return isStopped || verdicts.some(isInPart) || has('not-checked') ? exitCode.unchecked : exitCode.done;
}
