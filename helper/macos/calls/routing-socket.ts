import { read } from 'node:fs';
import { constants } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';
import { decodeRoute, encodeRouteMessage, splitMessages, type Route } from './route-message.ts';

export type RouteChange = Pick<Route, 'prefix' | 'way' | 'scope'>;

/** The system's routing table. */
export interface RouteCalls {
  /** All routes of both versions, without those that the system makes for single hosts. */
  table(): Route[];
  /** `exists`: there is another one with this prefix and scope, which stays. */
  add(route: RouteChange): 'added' | 'exists';
  /** Removes the route with this prefix and scope. */
  remove(route: RouteChange): 'removed' | 'absent';
  /**
   * Calls back after each message about routes, addresses and interfaces. The socket's room may be too small for all
   * that come at once, which nothing tells: look again from time to time, too. Returns a function that ends the watch.
   */
  watch(onChange: () => void, onError: (error: Error) => void): () => void;
}

/** Room for messages that wait to be read, in bytes: the default of 8 KB is lost with a few interfaces. */
const receiveBytes = 256 * 1024;
/** More than a message has. */
const messageBytes = 2_048;

export function createRouteCalls(libc: Libc): RouteCalls {
  let sequence = 0;

  function exchange(type: 'add' | 'delete', route: RouteChange, accepted: number): boolean {
    const descriptor = openRoutingSocket(libc);
    try {
      // The kernel answers with the result of write(2).
      libc.write(descriptor, encodeRouteMessage(type, route, (sequence += 1)));
      return true;
    } catch (error) {
      if (error instanceof CallFailed && error.errno === accepted) return false;
      throw new Error(`cannot ${type} the route to ${route.prefix}`, { cause: error });
    } finally {
      libc.close(descriptor);
    }
  }

  return {
    table() {
      const content = libc.sysctl([constants.CTL_NET, constants.AF_ROUTE, 0, 0, constants.NET_RT_DUMP, 0]);
      return [...splitMessages(content)].flatMap(({ message }) => decodeRoute(message) ?? []);
    },
    add: (route) => (exchange('add', route, constants.EEXIST) ? 'added' : 'exists'),
    remove: (route) => (exchange('delete', route, constants.ESRCH) ? 'removed' : 'absent'),
    watch(onChange, onError) {
      const descriptor = openRoutingSocket(libc);
      const room = Buffer.alloc(4);
      room.writeInt32LE(receiveBytes);
      libc.setOption(descriptor, constants.SOL_SOCKET, constants.SO_RCVBUF, room);
      const buffer = Buffer.alloc(messageBytes);
      let isEnded = false;
      const readNext = () =>
        read(descriptor, buffer, 0, buffer.length, null, (error, length) => {
          if (isEnded || length === 0 || error) {
            libc.close(descriptor);
            if (!isEnded) onError(error ?? new Error('the routing socket has ended'));
            return;
          }
          if (isChange(buffer.subarray(0, length))) onChange();
          readNext();
        });
      readNext();
      return () => {
        if (isEnded) return;
        isEnded = true;
        libc.endReading(descriptor);
      };
    },
  };
}

/** A look-up without a result (RTM_MISS) changes nothing, and comes often while nothing is reachable. */
const isChange = (bytes: Buffer) => [...splitMessages(bytes)].some(({ type }) => type !== constants.RTM_MISS);

function openRoutingSocket(libc: Libc): number {
  const descriptor = libc.socket(constants.AF_ROUTE, constants.SOCK_RAW, 0);
  libc.closeOnExec(descriptor);
  return descriptor;
}
