import { onTestFinished } from 'vitest';
import type { Guarded } from '../../../../helper/system/ports/guarded.ts';
import type { Ports } from '../../../../helper/system/ports/ports.ts';

/**
 * Ports whose helper looks at nothing any more once its test is over. Its timers go on in the process that tests share,
 * and where something is not in force, they would have it looked at each second, also by the clocks of later tests.
 */
export function untilTestEnds(ports: Ports): Ports {
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const looked = <Port extends Guarded>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (name !== 'verify' || typeof found !== 'function') return found;
        return (...given: unknown[]): unknown =>
          isOver ? new Promise(() => undefined) : Reflect.apply(found, target, given);
      },
    });
  return {
    ...ports,
    filter: looked(ports.filter),
    router: looked(ports.router),
    device: looked(ports.device),
  };
}
