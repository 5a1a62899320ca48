import type { Engine, Verdict } from '../verdict.ts';
import type { Message } from '../messages.ts';
import { checkNames, type CheckName } from '../check-names.ts';
import { Stopped } from '../stopped.ts';
import type { Bench, Check } from './bench.ts';
import { NotChecked } from './not-checked.ts';
import type { Found } from './sight.ts';

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
    const { blind, ...outcome } = await outcomeOf(name, check, bench);
    const milliseconds = Math.round(performance.now() - began);
    const observers = check.observers.filter((one) => !blind.includes(one));
    tell({
      kind: 'verdict',
      verdict: { check: name, engine, observers, milliseconds, ...outcome },
    });
  }
}

type Outcome = Pick<Verdict, 'outcome' | 'why' | 'unseen' | 'details'> & Pick<Found, 'blind'>;

const notChecked = (
  why: NotChecked['why'],
  details: readonly string[] = [],
  blind: Found['blind'] = [],
): Outcome => ({
  outcome: 'not-checked',
  why,
  details: [...details],
  blind,
});

async function outcomeOf(name: CheckName, check: Check, bench: Bench): Promise<Outcome> {
  const needsTunnel = name !== 'tunnel' && name !== 'restored';
  // A tunnel that is lost by one check is the next one's, too, if it comes back.
  if (needsTunnel && !(await bench.until(({ state }) => state === 'connected', 1_000)))
    return notChecked('no-tunnel', [JSON.stringify(bench.state())]);
  if (name !== 'restored' && performance.now() > bench.deadline) return notChecked('no-time');
  try {
    const { problems, unseen, blind } = await check.run();
    return {
      outcome: problems.length === 0 ? 'passed' : 'failed',
      ...(unseen.length > 0 && { unseen: [...unseen] }),
      details: [...problems],
      blind,
    };
  } catch (error) {
    if (error instanceof NotChecked) return notChecked(error.why, error.details, error.blind);
    if (error instanceof Stopped) throw error;
    return {
      outcome: 'failed',
      details: [error instanceof Error ? error.message : String(error)],
      blind: [],
    };
  }
}
