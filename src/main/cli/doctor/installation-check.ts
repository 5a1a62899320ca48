import type { FolderProblem } from '#node/manifest/check-folder.ts';
import { releaseKeys } from '#node/manifest/release-keys.ts';
import type { Say } from '#shared/texts/say.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { installationProblem } from '../../tunnel/installed-core.ts';
import { finding, type Finding } from './finding.ts';
import { thisSystem } from './this-system.ts';

/**
 * Whether what is installed is what was signed, its runtime included; nothing of a program that was not installed.
 * `tunnel`: what the helper says.
 */
export async function checkInstallation(tunnel: TunnelState, say: Say): Promise<Finding[]> {
  if (!releaseKeys()) return [];
  const problem = await installationProblem({ isThorough: true });
  if (problem) return [finding('installation', false, textOf(problem, say))];
  // Which version has run here is for root to read. Of files that are right, the helper refuses none but older ones.
  const isAbsent = tunnel.state === 'invalid' && tunnel.cause === 'helper-absent';
  const isOlder = isAbsent && (await thisSystem.hasHelperRefused());
  return [finding('installation', !isOlder, say('doctor.installationOlder'))];
}

const textOf = (problem: FolderProblem, say: Say): string =>
  'path' in problem
    ? say('doctor.installationFile', { file: problem.path })
    : say('cause.installationRefused');
