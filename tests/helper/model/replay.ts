import { createLinuxModel, type LinuxModel } from '../../lab/linux/model/linux-model.ts';
import type { WalkOnKernel } from './run-on-kernel.ts';
import { describeProbe, leaksIn, probes, promisedAfter, wrongWays, type Promised } from './walk.ts';

export interface Replay {
  /** Where the model has sent a packet elsewhere than the kernel. */
  differences: string[];
  /** What is not as promised on the model. */
  findings: string[];
}

/**
 * The calls of a walk on the model: packets are sent after each call, and compared with the kernel's after each step.
 */
export function replay({ steps, uplinkIndex, isAsBefore }: WalkOnKernel): Replay {
  const model = createLinuxModel(uplinkIndex);
  const send = (probe: (typeof probes)[number]) => model.send(probe);
  const before = JSON.stringify(model.snapshot());
  const differences: string[] = [];
  const findings = new Set<string>();
  let promised: Promised | undefined;
  for (const { name, calls, outcomes, answer } of steps) {
    const next = promisedAfter(name);
    // During a change, both promises bind for what both say; before a connection and after its end there is none.
    const binding = promised && next ? [promised, next] : [];
    for (const call of calls) {
      model.make(call);
      if (binding.length > 0)
        for (const leak of leaksIn(send, binding)) findings.add(`${name}, between calls: ${leak}`);
    }
    promised = next;
    if (promised) {
      for (const leak of leaksIn(send, [promised])) findings.add(`${name}: ${leak}`);
      if (promised.addresses.length > 0)
        for (const wrong of wrongWays(send, promised)) findings.add(`${name}: ${wrong}`);
    }
    if (answer !== true) findings.add(`${name}: the adapter says ${answer}`);
    differences.push(...differencesIn(model, name, outcomes));
  }
  const isModelAsBefore = JSON.stringify(model.snapshot()) === before;
  if (!isModelAsBefore) findings.add('not as before');
  if (isModelAsBefore !== isAsBefore)
    differences.push(`as before: ${isModelAsBefore} instead of ${isAsBefore}`);
  return { differences, findings: [...findings] };
}

function differencesIn(model: LinuxModel, name: string, outcomes: readonly string[]): string[] {
  return probes.flatMap((probe, index) => {
    const [modelled, real] = [model.send(probe), outcomes[index]];
    return modelled === real ? [] : [`${name}: ${describeProbe(probe)}: ${modelled} instead of ${real}`];
  });
}
