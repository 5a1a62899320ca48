import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { KernelRoute } from '../system-view.ts';
import { tunnelDevice } from './tunnel-device.ts';

/** The JSON output of ip-route(8) and ip-rule(8). */
const lookedUp = z.array(z.object({ dev: z.optional(z.string()), gateway: z.optional(z.string()) }));
const rules = z.array(z.looseObject({ table: z.optional(z.string()) }));
const routes = z.array(z.object({ dst: z.string(), dev: z.optional(z.string()) }));

/** The helper's tables for capturing by destination; one of them is in use (helper/linux/identifiers.ts). */
const prefixTables = ['5188', '5189'];

export async function routeTo(address: string, uid?: number): Promise<KernelRoute | undefined> {
  const found = await ask(
    ['route', 'get', address, ...(uid === undefined ? [] : ['uid', String(uid)])],
    lookedUp,
  );
  const { dev: device, gateway } = found?.[0] ?? {};
  if (device === undefined) return undefined;
  const isTunnel = device === tunnelDevice;
  const isThisMachine = device === 'lo';
  const isOnLink = isThisMachine || (!isTunnel && gateway === undefined);
  return { address, device, isTunnel, isThisMachine, isOnLink };
}

const families = ['-4', '-6'] as const;

/** The table for capturing by destination; undefined if nothing is captured. */
async function prefixTable(family: (typeof families)[number]): Promise<string | undefined> {
  const all = await ask([family, 'rule', 'show'], rules);
  return all?.find(({ table }) => table !== undefined && prefixTables.includes(table))?.table;
}

export async function isByDestination(): Promise<boolean> {
  return (await Promise.all(families.map(prefixTable))).some((table) => table !== undefined);
}

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
