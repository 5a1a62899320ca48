import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { wrapped } from './deb.ts';
import { product, type PackageFacts, type PackageOptions, type RpmScripts } from './package-facts.ts';
import { entriesOf, settle } from './tree-files.ts';

/**
 * Makes an rpm package of what is in `tree`, and resolves with its path. The same tree and time give the same bytes
 * with the same version of rpmbuild.
 */
export async function makeRpm(options: PackageOptions): Promise<string> {
  const { tree, facts, architecture, folder, time, compression } = options;
  await settle(tree, time);
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(path.join(folder, 'rpm-'));
  try {
    const spec = path.join(scratch, `${facts.name}.spec`);
    await writeFile(spec, await specOf(facts, tree));
    const defined = {
      _topdir: scratch,
      _rpmdir: scratch,
      _build_name_fmt: '%%{NAME}.rpm',
      // Nothing of this machine, and nothing that only its Debian has.
      _buildhost: 'localhost',
      _dbpath: path.join(scratch, 'db'),
      use_source_date_epoch_as_buildtime: '1',
      clamp_mtime_to_source_date_epoch: '1',
      source_date_epoch_from_changelog: '0',
      _binary_payload: compression === 'small' ? 'w19T2.zstdio' : 'w1T2.zstdio',
      __os_install_post: '%{nil}',
      _build_id_links: 'none',
      debug_package: '%{nil}',
    };
    const words = Object.entries(defined).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
    const target = ['--target', `${architecture}-linux`, '--quiet', '-bb', spec];
    await promisify(execFile)('rpmbuild', [...words, ...target], {
      env: {
        ...process.env,
        SOURCE_DATE_EPOCH: String(time),
        TZ: 'UTC',
        LC_ALL: 'C.UTF-8',
        HOME: scratch,
        PACKAGED_TREE: tree,
      },
    });
    const file = path.join(folder, `${facts.name}-${facts.version ?? product.version}-1.${architecture}.rpm`);
    await rename(path.join(scratch, `${facts.name}.rpm`), file);
    return file;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

const sections: Record<keyof RpmScripts, string> = {
  pre: '%pre',
  post: '%post',
  preun: '%preun',
  postun: '%postun',
  posttrans: '%posttrans',
};

async function specOf(facts: PackageFacts, tree: string): Promise<string> {
  const scripts = Object.entries(facts.scripts?.rpm ?? {});
  const lines = [
    `Name: ${facts.name}`,
    `Version: ${facts.version ?? product.version}`,
    'Release: 1',
    `Summary: ${facts.summary}`,
    `License: ${product.licence}`,
    `Packager: ${product.maintainer}`,
    // What the binaries are linked to, other processors' among them, is in the list.
    'AutoReqProv: no',
    ...facts.depends.rpm.map((one) => `Requires: ${one}`),
    ...(facts.recommends?.rpm ?? []).map((one) => `Recommends: ${one}`),
    ...(facts.conflicts ?? []).map((one) => `Conflicts: ${one}`),
    '%description',
    facts.description.map((text) => wrapped(text).join('\n')).join('\n\n'),
    '%install',
    'cp -a "$PACKAGED_TREE/." %{buildroot}',
    ...scripts.flatMap(([name, text]) => [sections[name as keyof RpmScripts], escaped(text)]),
    '%files',
    '%defattr(-,root,root,-)',
    ...(await listed(facts, tree)),
    '',
  ];
  return lines.join('\n');
}

/** In a spec file, a percent sign begins a macro. */
const escaped = (text: string) => text.replaceAll('%', '%%');

/** Folders of our own, and those of shells that need not be installed: rpm leaves what no package names. */
const ownFolder = /(?:^|\/)waymaker|^usr\/share\/(?:bash-completion|fish|zsh)(?:\/|$)/i;

/** Every file, and the folders that it brings. */
async function listed({ configurationFiles = [] }: PackageFacts, tree: string): Promise<string[]> {
  return (await entriesOf(tree)).flatMap(({ file, entry }) => {
    const name = escaped(`/${file}`);
    if (!entry.isDirectory())
      return [`${configurationFiles.includes(`/${file}`) ? '%config(noreplace) ' : ''}"${name}"`];
    return ownFolder.test(file) ? [`%dir "${name}"`] : [];
  });
}
