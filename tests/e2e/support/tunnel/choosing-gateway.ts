import { createInterface } from 'node:readline';
import path from 'node:path';
import type { Lab } from '../../../lab/lab.ts';
import { endProcess } from '../../../lab/runs/process.ts';

/** A gateway with several groups, each of which signs in in another way. It makes no tunnels. */
export const choosingGateway = {
  groups: { plain: 'Plain people', certified: 'People with a certificate', browser: 'People with a browser' },
  /** Unescaped, as ocserv sends it. */
  banner: 'Be careful & be quick.',
} as const;

export interface ChoosingGateway extends AsyncDisposable {
  /** The sign-ins that it accepted, oldest first: the group, and the subject of the client's certificate. */
  readonly signIns: readonly { group: string; client?: string }[];
}

/** Runs it in the place of the laboratory's gateway, until disposed. */
export async function startChoosingGateway(lab: Lab): Promise<ChoosingGateway> {
  await lab.gateway.stop();
  const { address, port, certificate } = lab.gateway;
  const script = path.join(import.meta.dirname, 'choosing-gateway-process.ts');
  const args = [address.ipv4, String(port), certificate.certificate, certificate.key];
  const running = await lab.gatewayMachine.spawnUntil([process.execPath, script, ...args], /listening/);
  const signIns: ChoosingGateway['signIns'][number][] = [];
  if (running.stdout) {
    createInterface(running.stdout).on('line', (line) => {
      if (line.startsWith('{')) signIns.push(JSON.parse(line) as (typeof signIns)[number]);
    });
  }
  return {
    signIns,
    async [Symbol.asyncDispose]() {
      await endProcess(running);
      await lab.gateway.start();
    },
  };
}
