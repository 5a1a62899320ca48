import { proxyCredentials } from '#shared/helper/protocol.ts';
import type { Say } from '#shared/texts/say.ts';
import type { AskUser, OpenField } from '../gateway/auth-answers.ts';
import type { WaysOut } from './ways-out.ts';

/** Asks the user for the proxy's user name and password, and keeps them; false if they enter none. */
export async function askForCredentials(options: {
  ways: WaysOut;
  askUser: AskUser;
  say: Say;
  signal: AbortSignal;
}): Promise<boolean> {
  const { ways, say } = options;
  const proxy = ways.any();
  if (!proxy) return false;
  const fields: OpenField[] = [
    { kind: 'text', name: 'username', label: say('proxy.username') },
    { kind: 'password', name: 'password', label: say('proxy.password') },
  ];
  const form = {
    id: undefined,
    action: '',
    banner: undefined,
    message: say('proxy.asks'),
    error: undefined,
    fields,
    singleSignOn: undefined,
    opaque: undefined,
  };
  const question = { gateway: proxy.host, topic: 'form', form, fields, again: false } as const;
  const answers = await options.askUser(question, options.signal);
  const read = proxyCredentials.safeParse({
    username: answers?.get('username'),
    password: answers?.get('password'),
  });
  if (!read.success) return false;
  await ways.setCredentials(proxy, read.data);
  return true;
}
