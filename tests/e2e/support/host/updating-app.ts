import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { base64Of } from '../../../../src/node/manifest/signatures.ts';
import { feedProduct } from '../../../../src/node/manifest/update-feed.ts';
import { startFeedServer, type FeedServer } from '../../../lab/updates/feed-server.ts';
import type { LaunchOptions } from './desktop-app.ts';
import { builtMain, root } from './paths.ts';

/**
 * The built app as an AppImage has it, with a feed of its own: what a package's build compiles into it is put in beside
 * it, and the AppImage is a script that notes its version when it is started.
 */
export interface UpdatingApp extends AsyncDisposable {
  readonly feed: FeedServer;
  readonly key: KeyObject;
  /** For a launch. */
  readonly options: Pick<LaunchOptions, 'main'> & { env: Record<string, string> };
  publish(
    version: string,
    options?: { size?: number; percentage?: number; keys?: KeyObject[]; now?: Date },
  ): Promise<void>;
  /**
   * From now on, pages that ask are told this, instead of what the app knows; of what is not named, they are told the
   * truth.
   */
  tell(told: Told): Promise<void>;
  /** The version of the AppImage now. */
  installed(): Promise<string>;
  /** The versions that were started from it. */
  started(): Promise<string[]>;
}

export interface Told {
  'updates.get'?: UpdateView;
  'tunnel.snapshot'?: TunnelState;
}

export async function createUpdatingApp(directory: string): Promise<UpdatingApp> {
  const feed = await startFeedServer();
  const key = generateKeyPairSync('ed25519').privateKey;
  const appImage = path.join(directory, 'Waymaker.AppImage');
  const note = path.join(directory, 'started');
  const scriptOf = (version: string) =>
    `#!/bin/sh\n# version ${version}\necho ${version} >>'${note}'\nexit\n`;
  await mkdir(directory, { recursive: true });
  await writeFile(appImage, scriptOf('0.1.0'));
  await chmod(appImage, 0o755);
  // It is inside the package, as every build, beside which it finds what it needs.
  const folder = path.join(
    root,
    'out',
    `updating-${path.basename(feed.folder)}-${process.pid}-${Date.now()}`,
  );
  await mkdir(folder);
  const values = {
    updatesUrlOfThisBuild: feed.url,
    updatesNameOfThisBuild: 'waymaker',
    releaseKeysOfThisBuild: base64Of(createPublicKey(key)),
  };
  const told = path.join(folder, 'told.json');
  const script = `
    import { readFileSync } from 'node:fs';
    import { ipcMain } from 'electron';
    Object.assign(globalThis, ${JSON.stringify(values)});
    const handle = ipcMain.handle.bind(ipcMain);
    ipcMain.handle = (channel, answer) => handle(channel, (event, name, input) => {
      const told = JSON.parse(readFileSync(${JSON.stringify(told)}, 'utf8'));
      return Object.hasOwn(told, name) ? { ok: true, value: told[name] } : answer(event, name, input);
    });
  `;
  await writeFile(told, '{}');
  await writeFile(path.join(folder, 'values.mjs'), script);
  const main = path.join(folder, 'main.mjs');
  await writeFile(main, `import './values.mjs';\nimport ${JSON.stringify(builtMain)};\n`);
  return {
    feed,
    key,
    options: { main, env: { APPIMAGE: appImage, APPDIR: path.dirname(process.execPath) } },
    async publish(version, { size = 0, keys = [key], ...more } = {}) {
      const content = Buffer.concat([Buffer.from(scriptOf(version)), Buffer.alloc(size, '#')]);
      await feed.publish(version, {
        keys,
        content,
        product: feedProduct('linux', process.arch, 'waymaker'),
        ...more,
      });
    },
    async tell(answers) {
      // In one piece: a page may ask at any time.
      await writeFile(`${told}.new`, JSON.stringify(answers));
      await rename(`${told}.new`, told);
    },
    installed: async () => /^# version (.+)$/m.exec(await readFile(appImage, 'utf8'))?.[1] ?? '',
    started: async () => (await readFile(note, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    async [Symbol.asyncDispose]() {
      await feed[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
