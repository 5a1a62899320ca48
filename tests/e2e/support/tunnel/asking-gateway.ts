import { createInterface } from 'node:readline';
import path from 'node:path';
import type { Lab } from '../../../lab/lab.ts';
import { endProcess } from '../../../lab/runs/process.ts';

/** What a gateway asks that trusts nobody, and that nobody should trust: for a code, twice, and then refuses. */
export const askingGateway = {
  message: `<img src="x" onerror="document.title='owned'"> ${'Enter the code. '.repeat(200)}`,
  error: 'Wrong <b>code</b>.',
  code: `Code_of_${'a'.repeat(300)}`,
  method: { label: 'Method', choices: ['By app', 'By mail'] },
} as const;

export interface AskingGateway extends AsyncDisposable {
  /** What it was answered, oldest first. */
  readonly replies: readonly unknown[];
}

/** Runs it in the place of the laboratory's gateway, until disposed. */
export async function startAskingGateway(lab: Lab): Promise<AskingGateway> {
  await lab.gateway.stop();
  const { address, port, certificate } = lab.gateway;
  const script = path.join(import.meta.dirname, 'asking-gateway-process.ts');
  const args = [address.ipv4, String(port), certificate.certificate, certificate.key];
  const running = await lab.gatewayMachine.spawnUntil([process.execPath, script, ...args], /listening/);
  const replies: unknown[] = [];
  if (running.stdout) {
    createInterface(running.stdout).on('line', (line) => {
      if (line.startsWith('{')) replies.push(JSON.parse(line));
    });
  }
  return {
    replies,
    async [Symbol.asyncDispose]() {
      await endProcess(running);
      await lab.gateway.start();
    },
  };
}
