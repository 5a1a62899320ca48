import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { keptText } from '../kept-text.ts';
import type { Finding } from './finding.ts';

/** Whether the sign-in outlives the process that has it; nothing if nobody is signed in. */
export async function checkSignIn(client: ControlClient | undefined, say: Say): Promise<Finding[]> {
  const session = await client?.session.get().catch(() => undefined);
  if (!session?.signedIn) return [];
  if (session.persistence === 'memory')
    return [{ check: 'sign-in', outcome: 'problem', text: say('command.inMemory') }];
  const text = keptText(session);
  return [{ check: 'sign-in', outcome: 'ok', text: text && say(text) }];
}
