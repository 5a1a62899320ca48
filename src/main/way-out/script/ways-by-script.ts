import type { Logger } from 'pino';
import { answersSoon } from '../answers-soon.ts';
import { isSameLogin, placeOf, type ProxyPlace } from '../proxy-setting.ts';
import type { WayOut } from '../way-out.ts';
import { askScript } from './ask-script.ts';
import { readScriptAnswer, type NamedWay } from './script-answer.ts';

/**
 * For all hosts together. A script can make up another one for each host, and each of them is looked up and tried: it
 * would have this computer look up names for an hour, also on the next network.
 */
const maxProxies = 32;

/** What the script says of these hosts. Those that it says nothing of are reached directly. */
export type WaysByScript = (
  script: string,
  hosts: readonly string[],
) => Promise<Map<string, WayOut | undefined>>;

export function createWaysByScript(options: {
  find: (host: string) => Promise<string[]>;
  /** A proxy with its addresses; undefined if it cannot be used. */
  wayBy: (proxy: ProxyPlace) => Promise<WayOut | undefined>;
  log: Logger;
}): WaysByScript {
  const { find, log } = options;

  /** Looks each proxy up once, as long as they are not too many. */
  function limitedWays(): (proxy: ProxyPlace) => Promise<WayOut | undefined> {
    const known = new Map<string, Promise<WayOut | undefined>>();
    let isTold = false;
    return async (proxy) => {
      const place = placeOf(proxy);
      const before = known.get(place);
      if (before) return await before;
      if (known.size >= maxProxies) {
        if (!isTold) log.warn('the script names too many proxies, which are left out');
        isTold = true;
        return undefined;
      }
      const way = options.wayBy(proxy);
      known.set(place, way);
      return await way;
    };
  }

  /** The first of them that answers, with the next ones behind it that can take its place without another request. */
  async function firstOf(
    named: readonly NamedWay[],
    wayBy: (proxy: ProxyPlace) => Promise<WayOut | undefined>,
  ): Promise<WayOut | undefined> {
    let first: WayOut | undefined;
    for (const one of named) {
      if (one.kind === 'direct') return first;
      const way = await wayBy(one.proxy);
      if (!way) continue;
      if (first) {
        if (!isAlike(first, way)) return first;
        first = { ...first, addresses: [...new Set([...first.addresses, ...way.addresses])] };
        continue;
      }
      if (named.length === 1 || (await answersSoon(way))) first = way;
      else
        log.info(
          { proxy: way.host, port: way.port },
          'a proxy does not answer, the script’s next way is tried',
        );
    }
    return first;
  }

  return async (script, hosts) => {
    const said = await askScript(script, hosts, { find });
    if (!said.ok) {
      log.warn({ why: said.why }, 'the script that chooses the proxies has no answer');
      return new Map(hosts.map((host) => [host, undefined]));
    }
    if (said.problem !== undefined)
      log.warn({ why: said.problem }, 'the script that chooses the proxies has failed');
    const wayBy = limitedWays();
    const byAnswer = new Map<string, Promise<WayOut | undefined>>();
    const wayFor = (answer: string) => {
      const known = byAnswer.get(answer) ?? firstOf(readScriptAnswer(answer), wayBy);
      byAnswer.set(answer, known);
      return known;
    };
    const ways = hosts.map(async (host) => {
      const answer = said.answers.get(host);
      return [host, answer === undefined ? undefined : await wayFor(answer)] as const;
    });
    return new Map(await Promise.all(ways));
  };
}

/** Whether a request for the one can go to the other, too. */
const isAlike = (one: WayOut, other: WayOut) =>
  one.protocol === other.protocol &&
  // By its name, it proves who it is.
  (one.protocol !== 'https' || one.host === other.host) &&
  one.port === other.port &&
  isSameLogin(one.credentials, other.credentials);
