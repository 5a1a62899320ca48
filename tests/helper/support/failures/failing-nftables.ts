import { execFileSync } from 'node:child_process';
import koffi from 'koffi';

/**
 * Preloaded into a helper: its nftables library fails when the plan of `failing-programs.ts` says so. Whoever is killed
 * halfway has changed nothing: nftables takes a script whole or not at all.
 */
function failure(script: string): Error | undefined {
  if (script.startsWith('list ')) return undefined;
  const asked = execFileSync('sh', [process.env['OUTCOME'] ?? '', 'nft'], { input: script });
  const outcome = asked.toString().trim();
  return outcome === 'runs' ? undefined : new Error(`nftables ${outcome}`);
}

type Call = (...args: unknown[]) => unknown;

function failing(declaration: unknown, call: Call & { async: Call }): Call {
  if (!String(declaration).includes('nft_run_cmd_from_buffer')) return call;
  call.async = new Proxy(call.async, {
    apply(target, self, args: unknown[]) {
      const [, script, callback] = args;
      const error = failure(String(script));
      if (!error) return Reflect.apply(target, self, args);
      if (typeof callback === 'function') setImmediate(() => Reflect.apply(callback, undefined, [error]));
      return undefined;
    },
  });
  return call;
}

const { load } = koffi;
koffi.load = new Proxy(load, {
  apply(target, self, args: Parameters<typeof load>) {
    return new Proxy(Reflect.apply(target, self, args), {
      get(library, name) {
        const value = Reflect.get(library, name) as unknown;
        if (name !== 'func' || typeof value !== 'function') return value;
        return (...declaration: unknown[]) =>
          failing(declaration[0], Reflect.apply(value, library, declaration));
      },
    });
  },
});
