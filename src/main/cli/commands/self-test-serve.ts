import { hostname, networkInterfaces } from 'node:os';
import { newPairingCode } from '../../self-test/far-side/pairing.ts';
import { serveSelfTests } from '../../self-test/far-side/serve.ts';
import { systemSelfTest } from '../../self-test/system-self-test.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';

/**
 * Serves self-tests of another computer of the same network, until it is interrupted: shows the code without which
 * nobody gets anything. Changes nothing on this computer.
 */
export async function serveSelfTest(context: CommandContext): Promise<ExitCode> {
  const { say, terminal, platform, version, interrupted, isJson } = context;
  const system = systemSelfTest(platform);
  if (!system) throw new CommandProblem(exitCode.unavailable, 'unsupported', say('selfTest.unsupported'));
  const code = newPairingCode();
  const served = await serveSelfTests({
    code,
    version,
    openPacketSocket: (device) => system.here.openPacketSocket(device),
    onSession: ({ kind, by }) =>
      terminal.note(
        say(kind === 'begun' ? 'selfTest.servedBegun' : 'selfTest.servedEnded', { computer: by }),
      ),
    onStranger: (computer) => terminal.note(say('selfTest.stranger', { computer })),
  }).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandProblem(exitCode.unavailable, 'not-served', say('selfTest.notServed', { problem }));
  });
  const addresses = ownAddresses();
  if (isJson) terminal.out(JSON.stringify({ code, addresses }));
  else {
    terminal.out(say('selfTest.serves', { computer: addresses[0] ?? hostname() }));
    terminal.out(say('selfTest.code', { code }));
  }
  await new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  served.close();
  return exitCode.done;
}

/** By which other computers of the network reach this one: IPv4 first. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((all = []) => all)
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .toSorted((one, other) => one.family.localeCompare(other.family))
    .map(({ address }) => address);
