import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMacho, readCodeSignatures } from './code-signature.ts';

/**
 * The entitlements that programs of the app may have: V8 makes code while it runs. Not among them are those that let
 * others' code into the app, or a debugger: Node's official binary for macOS has both.
 */
const allowed = ['com.apple.security.cs.allow-jit'];

/** What is wrong with the signatures of a finished app, read back from its files, as lines; empty: nothing. */
export function wrongSignatures(app: string): string[] {
  const files = globSync('**/*', { cwd: app, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const programs = files.flatMap((file) => {
    const bytes = readFileSync(file);
    return isMacho(bytes) ? [{ name: path.relative(app, file), bytes }] : [];
  });
  if (programs.length === 0) return [`there is no program for macOS in ${app}`];
  return programs.flatMap(({ name, bytes }) =>
    readCodeSignatures(bytes).flatMap((signature) => {
      if (!signature) return [`${name} is not signed`];
      const keys = [...(signature.entitlements ?? '').matchAll(/<key>([^<]*)<\/key>/g)].map(
        ([, key = '']) => key,
      );
      return [
        ...(signature.isHardened ? [] : [`${name} does not have the hardened runtime`]),
        ...keys.filter((key) => !allowed.includes(key)).map((key) => `${name} has the entitlement ${key}`),
      ];
    }),
  );
}

/** For electron-builder, once it has signed the app: throws if that is not as it has to be. */
export function expectSignedApp({ appOutDir }: { appOutDir: string }): void {
  const wrong = wrongSignatures(appOutDir);
  if (wrong.length > 0) throw new Error(`the app is not signed as it has to be:\n${wrong.join('\n')}`);
}
