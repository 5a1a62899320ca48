import type { Platform } from '#shared/entities.ts';
import type { Say } from '#shared/texts/say.ts';
import type { Finding } from './finding.ts';

/** How something was seen to work, the best first; docs/status.md says what each of them means. */
export const experiences = [
  'run on a real machine',
  'run in the laboratory',
  'run under wine',
  'checked against headers and models',
  'checked with doubles',
  'not checked',
] as const;
type Experience = (typeof experiences)[number];

/**
 * What is known of this version on each system: of what protects traffic, and of the part that was seen best. A test
 * compares this with the table of docs/status.md (tests/unit/docs/status.test.ts).
 */
export const experienceOn: Partial<Record<Platform, { protection: Experience; best: Experience }>> = {
  linux: { protection: 'run in the laboratory', best: 'run in the laboratory' },
  macos: {
    protection: 'checked against headers and models',
    best: 'checked against headers and models',
  },
  windows: { protection: 'checked against headers and models', best: 'run under wine' },
};

/** Says so where this version's protection has never met the real system; nothing where it has. */
export function checkExperience(platform: Platform, say: Say): Finding[] {
  const known = experienceOn[platform];
  if (!known || hasMetSystem(known.protection)) return [];
  const text = say(known.best === 'run under wine' ? 'doctor.systemUnderWine' : 'doctor.systemUntried');
  return [{ check: 'system', outcome: 'unknown', text }];
}

/** Namespaces and containers have the kernel and the programs of any other Linux. */
const hasMetSystem = (seen: Experience) =>
  seen === 'run on a real machine' || seen === 'run in the laboratory';
