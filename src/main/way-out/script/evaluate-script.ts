import { isIP } from 'node:net';
import { QuickJS, type JSValueHandle } from 'quickjs-wasi';
import { scriptFunctions } from './script-functions.ts';

/** One evaluation of a script (PAC), for several hosts. */
export interface ScriptQuestion {
  script: string;
  /** Hosts that are reached by https. */
  hosts: readonly string[];
  /** This computer's addresses. */
  own: readonly string[];
  /** The addresses of the names that an evaluation before this one wanted. */
  names: ReadonlyMap<string, readonly string[]>;
}

export type ScriptReply =
  /** What the script says for each host; undefined where it says nothing that can be read. */
  | { kind: 'answers'; answers: ReadonlyMap<string, string | undefined>; problem: string | undefined }
  /** Names whose addresses are needed first. */
  | { kind: 'names'; names: readonly string[] };

/** For what the script itself takes, in bytes. */
const memoryLimit = 32 * 1024 * 1024;
const maxAnswerCharacters = 2_000;
const maxProblemCharacters = 200;
/** RFC 1035 §2.3.4; some networks have names with underscores. */
const nameForm = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/;

/**
 * Evaluates a script in an interpreter of its own, which has nothing of this process but what `scriptFunctions` names.
 * It may take for ever: whoever calls this has to be able to end the thread.
 */
export async function evaluateScript(
  wasm: WebAssembly.Module,
  question: ScriptQuestion,
): Promise<ScriptReply> {
  const wanted = new Set<string>();
  let problem: string | undefined;
  const vm = await QuickJS.create({ wasm, memoryLimit });
  const functions = scriptFunctions({
    own: question.own,
    addressesOf(name) {
      const known = question.names.get(name);
      if (known) return known;
      if (!nameForm.test(name) || isIP(name) !== 0) return [];
      wanted.add(name);
      throw new Error(`${name} is not known yet`);
    },
    now: () => new Date(),
  });
  for (const [name, answer] of Object.entries(functions)) {
    const call = vm.newFunction(name, (...args) => vm.hostToHandle(answer(...args.map(plain))));
    vm.setProp(vm.global, name, call);
  }
  const answers = new Map<string, string | undefined>();
  try {
    vm.evalCode(question.script, 'script');
    const find = vm.evalCode("typeof FindProxyForURL === 'function' ? FindProxyForURL : FindProxyForURLEx");
    for (const host of question.hosts) {
      const authority = host.includes(':') ? `[${host}]` : host;
      const args = [`https://${authority}/`, host].map((text) => vm.newString(text));
      answers.set(
        host,
        answerOf(() => vm.callFunction(find, vm.undefined, ...args)),
      );
    }
  } catch (error) {
    problem = String(error).slice(0, maxProblemCharacters);
  }
  if (wanted.size > 0) return { kind: 'names', names: [...wanted] };
  return { kind: 'answers', answers, problem };

  function answerOf(call: () => JSValueHandle): string | undefined {
    try {
      const answer = call();
      return vm.typeof(answer) === 'string' ? answer.toString().slice(0, maxAnswerCharacters) : undefined;
    } catch (error) {
      problem = String(error).slice(0, maxProblemCharacters);
      return undefined;
    }
  }

  /** Objects become null, since a script may pass anything. */
  function plain(value: JSValueHandle): string | number | boolean | null {
    switch (vm.typeof(value)) {
      case 'string':
        return value.toString();
      case 'number':
        return value.toNumber();
      case 'boolean':
        return value.toBoolean();
      default:
        return null;
    }
  }
}
