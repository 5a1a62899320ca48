import { chmod, copyFile, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../../../helper/linux/command.ts';
import type { HelperLab } from './helper-lab.ts';

/** How a program fails: it does nothing and says so, or is killed when it has done half of what it was told. */
export type Failure = 'refuses' | 'dies-halfway';

export interface FailurePlan {
  /** Which of the helper's changes fails first, counted from 1. */
  first: number;
  /** Which is the last to fail; all from the first on if absent. */
  last?: number;
  how: Failure;
  /** The programs whose changes are counted; both if absent. */
  program?: 'ip' | 'nft';
  /** Counts only changes that take nothing away. */
  onlyAdditions?: boolean;
}

/** Stands between a laboratory's helper and the programs that it changes the system with; others are not met. */
export interface FailingPrograms {
  /** Counts anew from now on, and fails as the plan says. */
  plan(plan: FailurePlan | undefined): Promise<void>;
  /** The changes since then, each by its program. */
  changes(): Promise<string[]>;
}

export async function interpose(net: HelperLab): Promise<FailingPrograms> {
  const directory = path.join(net.lab.directory, 'failing-programs');
  await mkdir(directory);
  const [planFile, log] = [path.join(directory, 'plan'), path.join(directory, 'changes')];
  for (const name of ['ip', 'nft'] as const) {
    const installed = await realpath(findProgram(name) ?? name);
    const [real, wrapper] = [path.join(directory, `real-${name}`), path.join(directory, name)];
    await copyFile(installed, real);
    await writeFile(wrapper, wrapperOf({ name, real, directory }));
    await chmod(wrapper, 0o755);
    await net.lab.user.run(['mount', '--bind', wrapper, installed]);
  }
  return {
    async plan(plan) {
      const { first = 0, last = 1_000_000, how = 'refuses', program = 'any', onlyAdditions } = plan ?? {};
      const additions = onlyAdditions ? 'additions' : 'all';
      await writeFile(path.join(directory, 'helper'), String(net.pid()));
      await writeFile(log, '');
      await writeFile(planFile, `${first} ${plan ? last : 0} ${how} ${program} ${additions}\n`);
    },
    changes: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean),
  };
}

/** Only the helper's own children count, and of them those that change something. */
function wrapperOf({ name, real, directory }: { name: 'ip' | 'nft'; real: string; directory: string }) {
  const change = name === 'ip' ? '*"-batch"*' : '"-f -"';
  return `#!/bin/sh
case "$PPID $*" in
  "$(cat ${directory}/helper 2>/dev/null) "${change}) ;;
  *) exec ${real} "$@" ;;
esac
read -r first last how program additions < ${directory}/plan
case "$program $additions $*" in
  any*|${name}*) ;;
  *) exec ${real} "$@" ;;
esac
input=$(cat)
case "$additions $input" in
  "additions table"*"{"*) ;;
  "additions table"*|"additions "*" del "*|"additions "*flush*) printf '%s\\n' "$input" | exec ${real} "$@" ;;
esac
number=$(flock ${directory} sh -c 'echo "${name} $*" >> ${directory}/changes; wc -l < ${directory}/changes' - "$@")
if [ "$number" -lt "$first" ] || [ "$number" -gt "$last" ]; then
  printf '%s\\n' "$input" | ${real} "$@"
  exit $?
fi
if [ "$how" = refuses ]; then
  echo "Error: Could not process rule: Operation not permitted" >&2
  exit 1
fi
lines=$(printf '%s\\n' "$input" | wc -l)
[ ${name} = ip ] && printf '%s\\n' "$input" | head -n $((lines / 2)) | ${real} "$@" >/dev/null 2>&1
kill -KILL $$
`;
}
