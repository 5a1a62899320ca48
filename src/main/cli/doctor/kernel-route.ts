import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { tunnelDevice } from './this-computer.ts';

/** ip-route(8) and ip-rule(8), as JSON. */
const lookedUp = z.array(z.object({ dev: z.optional(z.string()), gateway: z.optional(z.string()) }));
const rules = z.array(z.looseObject({ table: z.optional(z.string()) }));
const routes = z.array(z.object({ dst: z.string(), dev: z.optional(z.string()) }));

/** The helper's tables of what is captured by its destination: one is in use (helper/linux/identifiers.ts). */
const prefixTables = ['5188', '5189'];

export interface KernelRoute {
  address: string;
  device: string;
  /** Whether it is the destination itself that is on the device's network, or this machine. */
  isOnLink: boolean;
}

/**
 * By which device the kernel would send to an address, for a user if one is named; nothing is sent. Undefined where it
 * would not, or cannot be asked.
 */
export async function routeTo(address: string, uid?: number): Promise<KernelRoute | undefined> {
  const found = await ask(
    ['route', 'get', address, ...(uid === undefined ? [] : ['uid', String(uid)])],
    lookedUp,
  );
  const { dev: device, gateway } = found?.[0] ?? {};
  if (device === undefined) return undefined;
  return { address, device, isOnLink: device === 'lo' || (device !== tunnelDevice && gateway === undefined) };
}

const families = ['-4', '-6'] as const;

/** The table of what is captured by its destination; undefined if nothing is. */
async function prefixTable(family: (typeof families)[number]): Promise<string | undefined> {
  const all = await ask([family, 'rule', 'show'], rules);
  return all?.find(({ table }) => table !== undefined && prefixTables.includes(table))?.table;
}

/** Whether the helper captures by destination, as with a server that names its own networks. */
export async function isByDestination(): Promise<boolean> {
  return (await Promise.all(families.map(prefixTable))).some((table) => table !== undefined);
}

/** The networks that the kernel sends into the tunnel by their destination, of both IP versions. */
export async function networksIntoTunnel(): Promise<string[]> {
  const found = await Promise.all(
    families.map(async (family) => {
      const table = await prefixTable(family);
      if (table === undefined) return [];
      const led = await ask([family, 'route', 'show', 'table', table], routes);
      return (led ?? []).filter(({ dev }) => dev === tunnelDevice).map(({ dst }) => dst);
    }),
  );
  return found.flat();
}

async function ask<T>(words: readonly string[], form: z.ZodMiniType<T>): Promise<T | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ip', ['-json', ...words], { maxBuffer: 64 * 1024 * 1024 });
    return form.parse(JSON.parse(stdout));
  } catch {
    return undefined;
  }
}
