import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Those of these users that the system does not have, wherever it keeps its accounts (nsswitch.conf(5)): where the
 * system's files are an image, as with rpm-ostree, those of packages are not in /etc/passwd.
 */
export async function missingUsers(
  names: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<string[]> {
  const found = (await askSystem(names, env)) ?? readAccounts();
  return names.filter((name) => !found.split('\n').some((line) => line.startsWith(`${name}:`)));
}

/** A directory on the network may not answer. */
const answerLimitMs = 5000;

/** The lines of getent(1), whose status only tells whether all exist; undefined if it is not there. */
const askSystem = (names: readonly string[], env: Readonly<NodeJS.ProcessEnv>) =>
  new Promise<string | undefined>((resolve) => {
    const child = execFile('getent', ['passwd', ...names], { env, timeout: answerLimitMs }, (_, stdout) => {
      resolve(child.pid === undefined ? undefined : stdout);
    });
  });

function readAccounts(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
