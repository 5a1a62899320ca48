import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';

/** A helper's life. What has ended calls nothing any more, although it still runs in the test's process. */
export class Life {
  isOver = false;

  expect(): void {
    if (this.isOver) throw new Error('this helper is dead');
  }
}

export function mortal(calls: WindowsCalls, life: Life): WindowsCalls {
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return (...given: unknown[]): unknown => {
          life.expect();
          return Reflect.apply(found, target, given);
        };
      },
    });
  return {
    ipHelper: guarded(calls.ipHelper),
    registry: guarded(calls.registry),
    resolverClient: guarded(calls.resolverClient),
    filtering: {
      open(kind) {
        life.expect();
        return guarded(calls.filtering.open(kind));
      },
    },
  };
}
