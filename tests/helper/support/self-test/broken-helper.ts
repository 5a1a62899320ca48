import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import { bundleProgram } from '../../../../scripts/bundle-program.ts';
import { native } from '../../../../scripts/build-helper.ts';
import { programFile } from '../../../lab/runs/programs.ts';

/** A mistake in the helper: in this file, one text in place of another, which has to be there. */
export interface Mistake {
  file: string;
  instead: string;
  of: string;
}

const root = path.resolve(import.meta.dirname, '../../../..');

/** Lays the command line and a helper with these mistakes beside each other; resolves with the command line's file. */
export async function layBroken(folder: string, mistakes: readonly Mistake[]): Promise<string> {
  const made = new Set<Mistake>();
  const breaker: Plugin = {
    name: 'mistakes',
    enforce: 'pre',
    transform(code, id) {
      let broken = code;
      for (const mistake of mistakes.filter(({ file }) => id === path.join(root, file))) {
        if (!broken.includes(mistake.of)) throw new Error(`${mistake.file} has no “${mistake.of}”`);
        broken = broken.replace(mistake.of, () => mistake.instead);
        made.add(mistake);
      }
      return broken;
    },
  };
  const helper = path.join(folder, 'helper');
  await mkdir(path.join(folder, 'app'), { recursive: true });
  await bundleProgram({
    entry: 'helper/index.ts',
    file: path.join(helper, 'helper.mjs'),
    external: native,
    plugins: [breaker],
  });
  const missing = mistakes.filter((mistake) => !made.has(mistake));
  if (missing.length > 0) throw new Error(`not in the helper: ${missing.map(({ file }) => file).join(', ')}`);
  const beside = { 'helper/posix/start-proxy.ts': 'proxy.mjs', 'helper/posix/start-engine.ts': 'engine.mjs' };
  for (const [source, name] of Object.entries(beside))
    await symlink(programFile(source), path.join(helper, name));
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const commandLine = path.join(folder, 'app/cli.mjs');
  await symlink(programFile('src/main/cli/index.ts'), commandLine);
  return commandLine;
}
