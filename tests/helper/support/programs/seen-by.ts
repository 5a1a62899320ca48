import { isIP } from 'node:net';
import { addresses, ports } from '../../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../../lab/packets/frame.ts';
import type { Lab } from '../../../lab/lab.ts';
import { curlLimits, waitFactor } from '../../../lab/probes/probe.ts';
import { getInside } from '../../../lab/probes/socket-inside.ts';
import { words } from '../../../lab/runs/process.ts';
import type { HelperLab } from '../helper-lab.ts';

/** From which address a host sees the user come; undefined if nothing came back. */
export async function seenBy({ lab }: HelperLab, host: string): Promise<string | undefined> {
  const answer = isIP(host)
    ? await getInside(lab.user.namespace, { host, port: ports.http, path: '/' }, waitFactor())
    : await getByName(lab, host);
  return answer === undefined ? undefined : (JSON.parse(answer) as { address: string }).address;
}

/** By a program, which looks the name up as all do. */
async function getByName({ user }: Lab, name: string): Promise<string | undefined> {
  const curl = [...words('curl --silent --noproxy * --globoff'), ...curlLimits()];
  const { code, stdout } = await user.exec([...curl, `http://${name}:${ports.http}/`]);
  return code === 0 ? stdout : undefined;
}

/** What passes outside the tunnel meanwhile. */
export async function capturedWhile(lab: Lab, during: () => Promise<unknown>): Promise<CapturedPacket[]> {
  const capture = await lab.capture();
  let packets: CapturedPacket[];
  try {
    await during();
  } finally {
    // In any case: one that went on would be in the next test's picture of the network.
    packets = await capture.stop();
  }
  return packets;
}

/**
 * How many packets passed outside the tunnel meanwhile: to the echo over each IP version, and to the resolver there.
 */
export async function packetsWhile({ lab }: HelperLab, during: () => Promise<unknown>) {
  const packets = await capturedWhile(lab, async () => {
    const stream = await lab.user.probe.stream('marker');
    try {
      await during();
    } finally {
      await stream[Symbol.asyncDispose]();
    }
  });
  const to = (host: string) => packets.filter(({ destination }) => destination === host).length;
  const { echo, resolver } = addresses;
  return { echo: to(echo.ipv4), echoIpv6: to(echo.ipv6), direct: to(resolver.ipv4) };
}
