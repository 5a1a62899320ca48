import { maxPushedRoutes } from '../../network/tunnel-configuration.ts';
import type { GivenRoutes } from '../engine-port.ts';
import { routeLists } from './script.ts';

type Environment = ReadonlyMap<string, string>;

/** The routes that a gateway has pushed, as they are in openconnect's environment. */
export function readPushedRoutes(environment: Environment): GivenRoutes {
  const read = (family: keyof typeof routeLists) => {
    const includes = readList(environment, routeLists[family].includes);
    const excludes = readList(environment, routeLists[family].excludes);
    return includes && excludes && { includes, excludes };
  };
  const [ipv4, ipv6] = [read('ipv4'), read('ipv6')];
  return ipv4 && ipv6 ? { ipv4, ipv6 } : 'unreadable';
}

/** Undefined if it says another number of routes than it has, or of too many. */
function readList(environment: Environment, list: string): string[] | undefined {
  const count = environment.get(list) ?? '0';
  if (!/^\d{1,6}$/.test(count) || Number(count) > maxPushedRoutes) return undefined;
  const prefixes: string[] = [];
  for (let index = 0; index < Number(count); index += 1) {
    const address = environment.get(`${list}_${index}_ADDR`);
    const length = environment.get(`${list}_${index}_MASKLEN`);
    if (address === undefined || length === undefined || !/^\d{1,3}$/.test(length)) return undefined;
    prefixes.push(`${address}/${Number(length)}`);
  }
  return prefixes;
}
