import { appendFileSync } from 'node:fs';
import type { AddressPair } from './addresses.ts';
import { serveEcho } from './echo.ts';
import { serveDns, type ResolverQuery } from './resolver.ts';
import type { Zone } from './zones.ts';

/** The services of a far-side process, passed to it as JSON. */
export interface FarSide {
  readonly zone: Zone;
  readonly resolver: AddressPair;
  readonly echoes: readonly AddressPair[];
  /** File to which each query is appended, as a line of JSON. */
  readonly queries: string;
}

/** Runs inside a machine, `node far-side.ts JSON`: the HTTP, TCP and UDP echoes and a resolver. */
const farSide = JSON.parse(process.argv[2] ?? '') as FarSide;
const both = ({ ipv4, ipv6 }: AddressPair) => [ipv4, ipv6];
const record = (query: ResolverQuery) => appendFileSync(farSide.queries, `${JSON.stringify(query)}\n`);

await Promise.all([
  serveEcho(farSide.echoes.flatMap(both)),
  ...both(farSide.resolver).map((address) => serveDns(address, farSide.zone, record)),
]);
process.stdout.write('serving\n');
