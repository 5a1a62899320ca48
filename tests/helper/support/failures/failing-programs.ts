import { chmod, copyFile, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../../../../helper/posix/command.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import type { HelperLab } from '../helper-lab.ts';

/**
 * How a program fails: it does nothing and says so, is killed when it has done half of what it was told, or does not
 * begin before there is another plan. The helper stands still while nftables waits.
 */
export type Failure = 'refuses' | 'dies-halfway' | 'waits';

export interface FailurePlan {
  /** Which of the helper's changes fails first, counted from 1. */
  first: number;
  /** Which is the last to fail; all from the first on if absent. */
  last?: number;
  how: Failure;
  /** The programs whose changes are counted; both if absent. */
  program?: 'ip' | 'nft';
  /** Counts only changes that add something. */
  onlyAdditions?: boolean;
}

/**
 * Stands between a laboratory's helper and what it changes the system with, ip(8) and nftables; others are not met.
 * Disposing takes it away, so that the laboratory is as it was made.
 */
export interface FailingPrograms extends AsyncDisposable {
  /** Starts the helper that fails; in place of the laboratory's own `start`. */
  start(): Promise<void>;
  /** Counts again from now on, and fails as the plan says. */
  plan(plan: FailurePlan | undefined): Promise<void>;
  /** The changes since then, each by its program. */
  changes(): Promise<string[]>;
}

export async function interpose(net: HelperLab): Promise<FailingPrograms> {
  const directory = path.join(net.lab.directory, 'failing-programs');
  await mkdir(directory);
  const [planFile, log] = [path.join(directory, 'plan'), path.join(directory, 'changes')];
  const outcome = path.join(directory, 'outcome');
  await writeFile(outcome, outcomeScript(directory));
  const installed = await realpath(findProgram('ip') ?? 'ip');
  const [real, wrapper] = [path.join(directory, 'real-ip'), path.join(directory, 'ip')];
  await copyFile(installed, real);
  await writeFile(wrapper, wrapperOf({ real, directory, outcome }));
  await chmod(wrapper, 0o755);
  await net.lab.user.run(['mount', '--bind', wrapper, installed]);
  return {
    start() {
      const preload = programFile('tests/helper/support/failures/failing-nftables.ts');
      return net.start({ under: ['env', `NODE_OPTIONS=--import=${preload}`, `OUTCOME=${outcome}`] });
    },
    async plan(plan) {
      const { first = 0, last = 1_000_000, how = 'refuses', program = 'any', onlyAdditions } = plan ?? {};
      const additions = onlyAdditions ? 'additions' : 'all';
      await writeFile(path.join(directory, 'helper'), String(net.pid()));
      await writeFile(log, '');
      await writeFile(planFile, `${first} ${plan ? last : 0} ${how} ${program} ${additions}\n`);
    },
    changes: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean),
    async [Symbol.asyncDispose]() {
      await net.lab.user.run(['umount', '--lazy', installed]);
    },
  };
}

/** What becomes of a change, `sh outcome PROGRAM` with its lines on stdin: prints `runs`, or how it fails. */
const outcomeScript = (directory: string) => `
read -r first last how program additions < ${directory}/plan
input=$(cat)
case "$program" in any|"$1") ;; *) echo runs; exit ;; esac
case "$additions $input" in
  "additions table"*"{"*|"additions "*" add "*) ;;
  "additions table"*|"additions "*" del "*|"additions "*flush*) echo runs; exit ;;
esac
number=$(flock ${directory} sh -c 'echo "$1" >> ${directory}/changes; wc -l < ${directory}/changes' - "$1")
if [ "$number" -lt "$first" ] || [ "$number" -gt "$last" ]; then echo runs; exit; fi
[ "$how" = waits ] || { echo "$how"; exit; }
while read -r first last how others < ${directory}/plan && [ "$how" = waits ]; do sleep 0.05; done
echo runs
`;

/** Only the helper's own children count, and of them those that change something. */
const wrapperOf = ({ real, directory, outcome }: { real: string; directory: string; outcome: string }) =>
  `#!/bin/sh
case "$PPID $*" in
  "$(cat ${directory}/helper 2>/dev/null) "*"-batch"*) ;;
  *) exec ${real} "$@" ;;
esac
input=$(cat)
case "$(printf '%s\\n' "$input" | sh ${outcome} ip)" in
  runs)
    printf '%s\\n' "$input" | ${real} "$@"
    exit $? ;;
  refuses)
    echo "Error: Could not process rule: Operation not permitted" >&2
    exit 1 ;;
esac
lines=$(printf '%s\\n' "$input" | wc -l)
printf '%s\\n' "$input" | head -n $((lines / 2)) | ${real} "$@" >/dev/null 2>&1
kill -KILL $$
`;
