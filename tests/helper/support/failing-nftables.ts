import { execFileSync } from 'node:child_process';
import { registerHooks } from 'node:module';

/** Preloaded into a helper: its nftables library fails when the plan of `failing-programs.ts` says so. */

const library = '/helper/linux/libnftables.ts';
const around = (url: string) => `
  import { loadRules as load } from '${url}?real';
  import { failIfPlanned } from '${import.meta.url}';
  export * from '${url}?real';
  export async function loadRules(script) {
    failIfPlanned(script);
    await load(script);
  }`;

/** Whoever is killed halfway has changed nothing: nftables takes a script whole or not at all. */
export function failIfPlanned(script: string): void {
  const outcome = execFileSync('sh', [process.env.OUTCOME ?? '', 'nft'], { input: script })
    .toString()
    .trim();
  if (outcome !== 'runs') throw new Error(`nftables ${outcome}`);
}

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(library)) return next(url, context);
    return { format: 'module', source: around(url), shortCircuit: true };
  },
});
