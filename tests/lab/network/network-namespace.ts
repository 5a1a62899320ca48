import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';

const cloneNewNet = 0x40000000;

/** Enters and leaves a network namespace with this thread, to which the sockets that it makes then belong. */
function openNamespace(namespace: string) {
  const setns = koffi.load('libc.so.6').func('int setns(int fd, int nstype)');
  const enter = (file: number) => {
    if (setns(file, cloneNewNet) !== 0) throw new Error(`cannot enter network namespace ${namespace}`);
  };
  const own = openSync('/proc/thread-self/ns/net', 'r');
  const other = openSync(`/run/netns/${namespace}`, 'r');
  return {
    enter: () => enter(other),
    leave: () => {
      enter(own);
      closeSync(own);
      closeSync(other);
    },
  };
}

/**
 * Runs `action` with this thread in a network namespace: a socket belongs to the namespace that its thread
 * is in when it is made (network_namespaces(7)), and Node makes sockets on its main thread.
 */
export async function inNetworkNamespace<Value>(
  namespace: string,
  action: () => Promise<Value>,
): Promise<Value> {
  const { enter, leave } = openNamespace(namespace);
  try {
    enter();
    return await action();
  } finally {
    leave();
  }
}

/** The same for what is done at once, so that nothing else of this process happens there. */
export function insideNetworkNamespace<Value>(namespace: string, action: () => Value): Value {
  const { enter, leave } = openNamespace(namespace);
  try {
    enter();
    return action();
  } finally {
    leave();
  }
}
