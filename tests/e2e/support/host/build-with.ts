import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from './paths.ts';

export interface Build {
  /** The built renderer. */
  readonly renderer: string;
  /** The built main file. */
  readonly main: string;
}

/** A build of the app and its pages made with such variables; it is inside the package, as every build. */
export async function buildWith(variables: NodeJS.ProcessEnv): Promise<Build & AsyncDisposable> {
  const folder = await mkdtemp(path.join(root, 'out/built-with-'));
  await promisify(execFile)(
    process.execPath,
    [path.join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--outDir', folder],
    { cwd: root, env: { ...process.env, ...variables } },
  );
  return {
    renderer: path.join(folder, 'renderer'),
    main: path.join(folder, 'main/index.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
