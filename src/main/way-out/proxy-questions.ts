import { proxyCredentials } from '#shared/helper/gateway-session.ts';
import type { Say } from '#shared/texts/say.ts';
import type { AskUser, OpenField } from '../gateway/sign-in/auth-answers.ts';
import { placeOf } from './proxy-setting.ts';
import type { WayOut } from './way-out.ts';
import type { WaysOut } from './ways-out.ts';

/** Asks the user for the user names and passwords of proxies, and keeps them. */
export interface ProxyQuestions {
  /**
   * Asks, even if the user did not want to enter any before, until `signal`. Done when the user has answered; a
   * question that waits is not asked twice.
   */
  ask(way: WayOut, signal?: AbortSignal): Promise<void>;
  /** Asks unless the user did not want to enter any for this proxy, or is being asked something else. */
  consider(way: WayOut): Promise<void>;
}

export function createProxyQuestions(options: {
  ways: Pick<WaysOut, 'setCredentials'>;
  askUser: AskUser;
  /** Whether the user is being asked something; another question would take its place. */
  isBusy: () => boolean;
  say: Say;
}): ProxyQuestions {
  const { ways, say } = options;
  const waiting = new Map<string, Promise<void>>();
  const declined = new Set<string>();
  /** Nothing ends a question but its answer, or another one. */
  const always = new AbortController().signal;

  async function question(proxy: WayOut, signal: AbortSignal): Promise<void> {
    const fields: OpenField[] = [
      { kind: 'text', name: 'username', label: say('proxy.username') },
      { kind: 'password', name: 'password', label: say('proxy.password') },
    ];
    const proxyNamedBy = proxy.isOfNetwork === true ? 'network' : 'computer';
    let error = proxy.credentials && say('proxy.refuses');
    for (;;) {
      const form = {
        id: undefined,
        action: '',
        banner: undefined,
        message: say('proxy.asks'),
        error,
        fields,
        singleSignOn: undefined,
        opaque: undefined,
      };
      const asked = {
        gateway: proxy.host,
        topic: 'proxy',
        proxyNamedBy,
        form,
        fields,
        again: false,
      } as const;
      const answers = await options.askUser(asked, signal);
      const [username = '', password = ''] = [answers?.get('username'), answers?.get('password')];
      if (username === '' && password === '') break;
      const read = proxyCredentials.safeParse({ username, password });
      if (read.success) return await ways.setCredentials(proxy, read.data);
      // Without a word, they would seem to have been refused.
      error = say('proxy.unfit');
    }
    declined.add(placeOf(proxy));
  }

  function ask(way: WayOut, signal = always): Promise<void> {
    const place = placeOf(way);
    declined.delete(place);
    const work = waiting.get(place) ?? question(way, signal).finally(() => waiting.delete(place));
    waiting.set(place, work);
    return work;
  }

  return {
    ask,
    async consider(way) {
      const place = placeOf(way);
      if (waiting.has(place) || !(declined.has(place) || options.isBusy())) await ask(way);
    },
  };
}
