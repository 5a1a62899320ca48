import type { EngineMessageName } from './process/messages.ts';

/** How many messages of each kind an engine may send in a minute; far more than one has a reason for. */
const perMinute: Readonly<Record<EngineMessageName, number>> = {
  begun: 1,
  reached: 60,
  unreachable: 10,
  unheld: 1,
  encryption: 120,
  transport: 240,
  configuration: 30,
  terms: 30,
  note: 300,
  ended: 1,
};
const windowMs = 60_000;

export interface MessageLimit {
  admits(name: EngineMessageName): boolean;
}

export function createMessageLimit(): MessageLimit {
  let begun = performance.now();
  const counts = new Map<EngineMessageName, number>();
  return {
    admits(name) {
      if (performance.now() - begun > windowMs) {
        begun = performance.now();
        counts.clear();
      }
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count <= perMinute[name];
    },
  };
}
