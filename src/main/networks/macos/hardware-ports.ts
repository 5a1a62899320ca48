import type { RunProgram } from '../../run-program.ts';

/** What networksetup(8) calls that of Wi-Fi; AirPort until OS X 10.7. */
const wifiPorts: readonly string[] = ['Wi-Fi', 'AirPort'];

/** Of a device that is built in or plugged in: its name, as `en0`, and what macOS calls the port that it is. */
export interface HardwarePort {
  device: string;
  port: string;
}

/** Undefined if macOS does not say. */
export async function readHardwarePorts(run: RunProgram): Promise<HardwarePort[] | undefined> {
  const text = await run('/usr/sbin/networksetup', ['-listallhardwareports']).catch(() => undefined);
  if (text === undefined) return undefined;
  return [...text.matchAll(/^Hardware Port: (.+)\nDevice: (\S+)$/gm)].map(([, port = '', device = '']) => ({
    device,
    port,
  }));
}

export const isWifiPort = ({ port }: HardwarePort): boolean => wifiPorts.includes(port);
