import { existsSync } from 'node:fs';
import { electronBinary } from './electron-binary.ts';
import { builtMain } from './paths.ts';

/** Says once which host the run uses, so that nobody takes the one for the other. */
export default function announceHost(): void {
  if (!existsSync(builtMain)) throw new Error('out/main is missing: run `npm run build` first');
  const binary = electronBinary();
  console.log(
    binary === undefined
      ? 'e2e host: stand-in (no Electron binary here): the built app in Node, its windows in Chromium'
      : `e2e host: Electron at ${binary}`,
  );
  if (process.getuid?.() !== 0)
    console.log('e2e: without root the laboratory is missing; its tests are skipped');
}
