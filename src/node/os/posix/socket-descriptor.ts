import type { Socket } from 'node:net';

/** The descriptor of an open socket: Node has no public way to it. Throws if it has none. */
export function descriptorOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const descriptor: unknown = typeof handle === 'object' && handle ? Reflect.get(handle, 'fd') : undefined;
  if (typeof descriptor !== 'number' || descriptor < 0) throw new Error('the socket has no descriptor');
  return descriptor;
}
