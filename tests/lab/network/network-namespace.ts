import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';

const cloneNewNet = 0x40000000;

/**
 * Runs `action` with this thread in a network namespace: a socket belongs to the namespace that its thread
 * is in when it is made (network_namespaces(7)), and Node makes sockets on its main thread.
 */
export async function inNetworkNamespace<Value>(
  namespace: string,
  action: () => Promise<Value>,
): Promise<Value> {
  const setns = koffi.load('libc.so.6').func('int setns(int fd, int nstype)');
  const enter = (file: number) => {
    if (setns(file, cloneNewNet) !== 0) throw new Error(`cannot enter network namespace ${namespace}`);
  };
  const own = openSync('/proc/thread-self/ns/net', 'r');
  const other = openSync(`/run/netns/${namespace}`, 'r');
  try {
    enter(other);
    return await action();
  } finally {
    enter(own);
    closeSync(own);
    closeSync(other);
  }
}
