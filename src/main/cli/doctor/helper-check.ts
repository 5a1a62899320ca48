import pino from 'pino';
import type { EngineKind } from '#shared/helper/protocol.ts';
import { causeTexts } from '#shared/texts/tunnel-texts.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { openHelperConnection } from '../../tunnel/helper-connection.ts';
import type { CommandContext } from '../command-context.ts';
import type { Finding } from './finding.ts';

/** Asks the helper itself, whatever the core's view of it is. */
export async function checkHelper(
  socketPath: string,
  { version, say }: CommandContext,
): Promise<{ finding: Finding; state: TunnelState; engines?: readonly EngineKind[] | undefined }> {
  const log = pino({ level: 'silent' });
  const helper = await openHelperConnection({ socketPath, version, onState: () => undefined, log });
  const absent = (cause: keyof typeof causeTexts) => ({
    finding: {
      check: 'helper',
      outcome: 'problem',
      text: `${say(causeTexts[cause].title)}. ${say(causeTexts[cause].text)}`,
    } as const,
    state: { state: 'invalid', cause } as const,
  });
  if (typeof helper === 'string') return absent(helper);
  try {
    const state = await helper.call('snapshot', {});
    const { engines } = helper;
    if (state.state === 'invalid') return { ...absent(state.cause), state, engines };
    return { finding: { check: 'helper', outcome: 'ok' }, state, engines };
  } catch {
    return absent('helper-absent');
  } finally {
    helper.close();
  }
}
