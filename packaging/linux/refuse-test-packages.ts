import path from 'node:path';
import { forTestsOnly, forTestsSuffix } from './package-facts.ts';
import { run } from '../run.ts';

/**
 * Throws if a package among these files says that it is for tests only: its programs would accept updates from whoever
 * has the tests' key, which is everybody.
 */
export async function refuseTestPackages(files: readonly string[]): Promise<void> {
  for (const file of files.filter((one) => /\.(?:deb|rpm|exe)$/.test(one))) {
    if (!(await isForTests(file))) continue;
    throw new Error(
      `${path.basename(file)} is for tests only: make it with WAYMAKER_SIGNING_KEY, or take it out of the folder`,
    );
  }
}

const isForTests = async (file: string): Promise<boolean> =>
  file.endsWith('.exe')
    ? file.endsWith(`${forTestsSuffix}.exe`)
    : (await descriptionOf(file)).includes(forTestsOnly);

const descriptionOf = (file: string): Promise<string> =>
  file.endsWith('.deb')
    ? run('dpkg-deb', ['--field', file, 'Description'])
    : run('rpm', ['-qp', '--nosignature', '--queryformat', '%{DESCRIPTION}', file]);
