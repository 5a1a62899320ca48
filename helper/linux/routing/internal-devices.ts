import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod/mini';
import type { RunCommand } from '../../posix/command.ts';

const linkList = z.array(
  z.object({
    ifname: z.string(),
    /** The bridge that it is a port of. */
    master: z.optional(z.string()),
    /** For a veth, the other end, if that is in this network namespace too. */
    link: z.nullish(z.string()),
    linkinfo: z.optional(
      z.object({
        info_kind: z.optional(z.string()),
        info_data: z.optional(z.object({ type: z.optional(z.string()) })),
      }),
    ),
  }),
);
type Link = z.infer<typeof linkList>[number];

/** Other names are legal (Linux, net/core/dev.c, dev_valid_name), but mean something else to nft(8). */
const plainName = /^[\w.@-]+$/;

/**
 * Those of `candidates` that only lead to containers and virtual machines of this machine: TAP devices, and bridges
 * whose ports are TAP devices and ends of veth pairs into other network namespaces. Any other port may lead out, such
 * as a network card, or a veth whose other end may be in a bridge with one.
 */
export async function findInternalDevices(
  run: RunCommand,
  candidates: ReadonlySet<string>,
): Promise<string[]> {
  // Most machines have none; they should not have to wait for a program.
  const possible = [...candidates].filter(
    (name) => plainName.test(name) && ['bridge', 'tun_flags'].some((file) => isOfKind(name, file)),
  );
  if (possible.length === 0) return [];
  const { status, stdout } = await run('ip', ['-json', '-details', 'link', 'show']);
  if (status !== 0) return [];
  const links = linkList.parse(JSON.parse(stdout));
  const leadsNowhere = (link: Link): boolean =>
    isTap(link) ||
    (link.linkinfo?.info_kind === 'bridge' &&
      links.filter(({ master }) => master === link.ifname).every((port) => isTap(port) || isFarVeth(port)));
  return links
    .filter((link) => possible.includes(link.ifname) && link.master === undefined && leadsNowhere(link))
    .map(({ ifname }) => ifname)
    .toSorted();
}

/** Also those whose ports are not set up yet, and those without an address. */
export const findBridges = (): string[] =>
  readdirSync(devicesFolder)
    .filter((name) => plainName.test(name) && isOfKind(name, 'bridge'))
    .toSorted();

/** Whether it is a bridge without any port: nobody but this machine itself is in its networks. */
export function isUnusedBridge(device: string): boolean {
  try {
    return readdirSync(`${devicesFolder}/${device}/brif`).length === 0;
  } catch {
    // Not a bridge, or gone.
    return false;
  }
}

const devicesFolder = '/sys/class/net';

const isOfKind = (device: string, file: string) => existsSync(`${devicesFolder}/${device}/${file}`);

const isTap = ({ linkinfo }: Link) => linkinfo?.info_kind === 'tun' && linkinfo.info_data?.type === 'tap';

const isFarVeth = ({ linkinfo, link }: Link) => linkinfo?.info_kind === 'veth' && typeof link !== 'string';
