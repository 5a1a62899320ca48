import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../../packaging/run.ts';

/** A new secret key for repositories, in a file. */
export async function exportNewKey(file: string): Promise<void> {
  // Sockets of gpg's agent stand in it, whose paths must be short.
  const home = await mkdtemp(path.join(tmpdir(), 'wm-gpg-'));
  const gpg = ['--batch', '--homedir', home];
  try {
    await run('gpg', [
      ...gpg,
      '--passphrase',
      '',
      '--quick-generate-key',
      'A release',
      'rsa3072',
      'sign',
      'never',
    ]);
    await writeFile(file, await run('gpg', [...gpg, '--armor', '--export-secret-keys']));
  } finally {
    await run('gpgconf', ['--homedir', home, '--kill', 'all']);
    await rm(home, { recursive: true, force: true });
  }
}

/** A small Debian package with nothing but a name and a version. What it is made of is left in `scratch`. */
export async function makeSampleDeb(
  scratch: string,
  folder: string,
  version: string,
  note = 'nothing',
): Promise<void> {
  const tree = path.join(scratch, `tree-${version}-${note}`);
  await mkdir(path.join(tree, 'DEBIAN'), { recursive: true });
  const fields = {
    Package: 'waymaker-sample',
    Version: version,
    Architecture: 'amd64',
    Maintainer: 'Waymaker <packages@waymaker.example>',
    Description: note,
  };
  await writeFile(
    path.join(tree, 'DEBIAN/control'),
    Object.entries(fields)
      .map((field) => `${field.join(': ')}\n`)
      .join(''),
  );
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `waymaker-sample_${version}_amd64.deb`);
  await run('dpkg-deb', ['--root-owner-group', '--build', tree, file]);
}

/** The same as an rpm. */
export async function makeSampleRpm(
  scratch: string,
  folder: string,
  version: string,
  note = 'nothing',
): Promise<void> {
  const spec = path.join(scratch, `sample-${version}.spec`);
  await writeFile(
    spec,
    [
      'Name: waymaker-sample',
      `Version: ${version}`,
      'Release: 1',
      `Summary: ${note}`,
      'License: MIT',
      'BuildArch: noarch',
      '%description',
      note,
      '%files',
      '',
    ].join('\n'),
  );
  await mkdir(folder, { recursive: true });
  const defined = ['--define', `_rpmdir ${folder}`, '--define', '_build_name_fmt %{NAME}-%{VERSION}.rpm'];
  await run('rpmbuild', ['-bb', ...defined, '--define', `_topdir ${scratch}/rpmbuild`, spec]);
}

/** What has apt read nothing but the sources, lists and packages in this directory. */
export const aptOptions = (state: string) => ({
  'Dir::State::lists': path.join(state, 'lists'),
  'Dir::State::status': path.join(state, 'status'),
  'Dir::Cache': path.join(state, 'cache'),
  'Dir::Etc::sourcelist': '/dev/null',
  'Dir::Etc::sourceparts': path.join(state, 'sources'),
  'Dir::Etc::trustedparts': '/dev/null',
  'APT::Architecture': 'amd64',
  'APT::Sandbox::User': 'root',
});
