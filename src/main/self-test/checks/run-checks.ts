import type { Engine, Verdict } from '../verdict.ts';
import type { Message } from '../messages.ts';
import { checkNames, type CheckName } from '../check-names.ts';
import { Stopped } from '../stopped.ts';
import { NotChecked, type Bench, type Check } from './bench.ts';

/** The checks that are made with the second engine: what does not depend on it has been seen. */
const ofEveryEngine: ReadonlySet<CheckName> = new Set([
  'tunnel',
  'ipv4',
  'ipv6',
  'names',
  'plain',
  'engine-killed',
  'restored',
]);

/** Makes one check after the other, and tells its verdict. */
export async function runChecks(
  checks: Record<CheckName, Check>,
  options: { engine: Engine; bench: Bench; tell: (message: Message) => void; isFirst: boolean },
): Promise<void> {
  const { engine, bench, tell, isFirst } = options;
  for (const name of checkNames) {
    if (!isFirst && !ofEveryEngine.has(name)) continue;
    const check = checks[name];
    const began = performance.now();
    const outcome = await outcomeOf(name, check, bench);
    const milliseconds = Math.round(performance.now() - began);
    const { observers } = check;
    tell({
      kind: 'verdict',
      verdict: { check: name, engine, observers: [...observers], milliseconds, ...outcome },
    });
  }
}

type Outcome = Pick<Verdict, 'outcome' | 'why' | 'details'>;

const notChecked = (why: NotChecked['why'], details: readonly string[] = []): Outcome => ({
  outcome: 'not-checked',
  why,
  details: [...details],
});

async function outcomeOf(name: CheckName, check: Check, bench: Bench): Promise<Outcome> {
  const needsTunnel = name !== 'tunnel' && name !== 'restored';
  // A tunnel that is lost by one check is the next one's, too, if it comes back.
  if (needsTunnel && !(await bench.until(({ state }) => state === 'connected', 1_000)))
    return notChecked('no-tunnel', [JSON.stringify(bench.state())]);
  if (name !== 'restored' && performance.now() > bench.deadline) return notChecked('no-time');
  try {
    const details = await check.run();
    return { outcome: details.length === 0 ? 'passed' : 'failed', details };
  } catch (error) {
    if (error instanceof NotChecked) return notChecked(error.why, error.details);
    if (error instanceof Stopped) throw error;
    return { outcome: 'failed', details: [error instanceof Error ? error.message : String(error)] };
  }
}
