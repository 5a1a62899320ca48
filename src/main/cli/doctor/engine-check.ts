import type { EngineKind } from '#shared/helper/protocol.ts';
import type { Say } from '#shared/texts/say.ts';
import type { Finding } from './finding.ts';

/**
 * What carries tunnels on this computer. `engines`: what the helper says that it has; undefined if it was not asked.
 */
export function checkEngine(engines: readonly EngineKind[] | undefined, say: Say): Finding {
  const check = 'engine';
  if (engines === undefined) return { check, outcome: 'unknown' };
  const [usual] = engines;
  if (usual === undefined) return { check, outcome: 'problem', text: say('cause.engineAbsent') };
  if (usual === 'openconnect') return { check, outcome: 'ok', text: say('doctor.engineOpenconnect') };
  const hasOther = engines.includes('openconnect');
  return { check, outcome: 'ok', text: say(hasOther ? 'doctor.engineBoth' : 'doctor.engineOwn') };
}
