import { openSync } from 'node:fs';
import { calls, checked } from './system-calls.ts';

/** <linux/sched.h>. */
const CLONE_NEWNET = 0x40000000;

/**
 * A network namespace. What this thread makes while it is in one, sockets and child processes, stays there
 * (network_namespaces(7)), and Node makes both on its main thread.
 */
export interface NetworkNamespace {
  /** A path by which ip(8) finds it. */
  readonly path: string;
  within<Value>(action: () => Value): Value;
  /** Nothing else of this process may make sockets meanwhile. */
  whileWithin<Value>(action: () => Promise<Value>): Promise<Value>;
}

function namespaceOf(descriptor: number, home: () => number): NetworkNamespace {
  const enter = (target: number) => checked('setns', calls().setns(target, CLONE_NEWNET));
  return {
    path: `/proc/${process.pid}/fd/${descriptor}`,
    within(action) {
      enter(descriptor);
      try {
        return action();
      } finally {
        enter(home());
      }
    },
    async whileWithin(action) {
      enter(descriptor);
      try {
        return await action();
      } finally {
        enter(home());
      }
    },
  };
}

const openOwn = () => openSync('/proc/thread-self/ns/net', 'r');

/** The namespace that this thread is in, and as many new ones as are asked for. */
export function createNamespaces(count: number): { home: NetworkNamespace; others: NetworkNamespace[] } {
  const homeDescriptor = openOwn();
  const home = namespaceOf(homeDescriptor, () => homeDescriptor);
  const others = Array.from({ length: count }, () => {
    checked('unshare', calls().unshare(CLONE_NEWNET));
    const other = namespaceOf(openOwn(), () => homeDescriptor);
    home.within(() => undefined);
    return other;
  });
  return { home, others };
}
