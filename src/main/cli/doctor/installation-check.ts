import { releaseKeys } from '#node/manifest/release-keys.ts';
import type { Say } from '#shared/texts/say.ts';
import { installationProblem } from '../../tunnel/installed-core.ts';
import { finding, type Finding } from './finding.ts';

/** Whether what is installed is what was signed, its runtime included; nothing of a program that was not installed. */
export async function checkInstallation(say: Say): Promise<Finding[]> {
  if (!releaseKeys()) return [];
  const problem = await installationProblem({ isThorough: true });
  const text =
    problem && 'path' in problem
      ? say('doctor.installationFile', { file: problem.path })
      : say('cause.installationRefused');
  return [finding('installation', problem === undefined, text)];
}
