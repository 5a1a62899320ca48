import { isWifiPort, readHardwarePorts } from '../../networks/macos/hardware-ports.ts';
import type { RunProgram } from '../../run-program.ts';

/** By their ports: nothing in the name of `en0` says what it is. */
export async function wifiPortsAmong(names: readonly string[], run: RunProgram): Promise<readonly string[]> {
  const ports = (await readHardwarePorts(run)) ?? [];
  return names.filter((name) => ports.some((one) => one.device === name && isWifiPort(one)));
}
