import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { notBundled } from '../../../packaging/linux/core-bundles.ts';
import { installedPackages, layPackages, nativePackages } from '../../../packaging/linux/core-tree.ts';
import type { Processor } from '../../../packaging/runtime/processors.ts';
import { bundleProgram } from '../../../scripts/bundle-program.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const root = path.resolve(import.meta.dirname, '../../..');

test(
  'a program that is installed evaluates a proxy script with what is laid beside it',
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-bundle-'));
    try {
      const entry = path.join(folder, 'entry.ts');
      const script = 'function FindProxyForURL(url, host) { return "PROXY " + host + ":3128"; }';
      await writeFile(
        entry,
        `import { askScript } from ${JSON.stringify(path.join(root, 'src/main/way-out/script/ask-script.ts'))};
        const said = await askScript(${JSON.stringify(script)}, ['gw.example']);
        console.log(said.ok ? said.answers.get('gw.example') : said.why);`,
      );
      const app = path.join(folder, 'app');
      for (const [source, name] of [
        [path.relative(root, entry), 'cli.js'],
        ['src/main/way-out/script/script-thread.ts', 'script-thread.js'],
      ] as const)
        await bundleProgram({ entry: source, file: path.join(app, name), external: notBundled });
      await writeFile(path.join(app, 'package.json'), '{ "type": "module" }\n');
      const run = () => promisify(execFile)(process.execPath, [path.join(app, 'cli.js')]);
      // Nothing is found by chance.
      expect((await run()).stdout).toContain('quickjs-wasi');
      const packages = nativePackages(process.arch as Processor, installedPackages);
      await layPackages(path.join(folder, 'node_modules'), packages);
      expect((await run()).stdout).toBe('PROXY gw.example:3128\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  waitLimit(60_000),
);
