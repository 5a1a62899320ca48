import { onTestFinished } from 'vitest';
import type { Guarded } from '../../../../helper/system/ports/guarded.ts';
import type { Ports } from '../../../../helper/system/ports/ports.ts';

/**
 * Ports whose helper looks at nothing any more once it has ended, at the latest with its test. Its timers go on in the
 * test's process, and where something is not in force, they would have it looked at each second, also by the clocks of
 * tests that come later.
 */
export function untilEnded(ports: Ports, hasEnded: () => boolean): Ports {
  let isTestOver = false;
  onTestFinished(() => void (isTestOver = true));
  const looked = <Port extends Guarded>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (name !== 'verify' || typeof found !== 'function') return found;
        return (...given: unknown[]): unknown =>
          isTestOver || hasEnded() ? new Promise(() => undefined) : Reflect.apply(found, target, given);
      },
    });
  return {
    ...ports,
    filter: looked(ports.filter),
    router: looked(ports.router),
    device: looked(ports.device),
  };
}
