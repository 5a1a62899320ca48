import { isHost4, isHost6 } from './host-address.ts';
import { routeLists } from './openconnect-script.ts';
import { maxPushedRoutes, type PushedRoutes } from '../network/tunnel-configuration.ts';

type Environment = ReadonlyMap<string, string>;
type Family = keyof typeof routeLists;

/**
 * The routes that a gateway has pushed, or what is wrong with them. If one of them is invalid, or there are too many,
 * all are ignored: leaving out an include would let its packets bypass the tunnel.
 */
export function readPushedRoutes(environment: Environment): PushedRoutes | { problem: string } {
  const routes: PushedRoutes = { includes: [], excludes: [] };
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const kind of ['includes', 'excludes'] as const) {
      const list = routeLists[family][kind];
      const found = readList(environment, list, family);
      if (!found) return { problem: list };
      routes[kind].push(...found);
    }
  }
  return routes;
}

function readList(environment: Environment, list: string, family: Family): string[] | undefined {
  const count = environment.get(list) ?? '0';
  if (!/^\d{1,6}$/.test(count) || Number(count) > maxPushedRoutes) return undefined;
  const prefixes: string[] = [];
  for (let index = 0; index < Number(count); index += 1) {
    const address = environment.get(`${list}_${index}_ADDR`) ?? '';
    const length = environment.get(`${list}_${index}_MASKLEN`) ?? '';
    if (!isPrefix(address, length, family)) return undefined;
    prefixes.push(`${address}/${Number(length)}`);
  }
  return [...new Set(prefixes)];
}

/** Whether it consists of unicast addresses, or is the default route. */
function isPrefix(address: string, length: string, family: Family): boolean {
  if (!/^\d{1,3}$/.test(length) || Number(length) > (family === 'ipv4' ? 32 : 128)) return false;
  if (Number(length) === 0) return address === (family === 'ipv4' ? '0.0.0.0' : '::');
  return family === 'ipv4' ? isHost4(address) : isHost6(address);
}
