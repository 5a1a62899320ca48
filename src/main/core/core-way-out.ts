import type { Logger } from 'pino';
import type { Say } from '#shared/texts/say.ts';
import type { AskUser } from '../gateway/sign-in/auth-answers.ts';
import { createServiceFetch, type ServiceFetch } from '../http-fetch.ts';
import type { Settings } from '../preferences/settings.ts';
import type { CallForUser } from '../session/call-for-user.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { callsThroughProxy } from '../way-out/calls-through-proxy.ts';
import { openByWay, wayOutside, type FindWay, type TunnelReach } from '../way-out/connect-by-ways.ts';
import { createProxyPasswords } from '../way-out/proxy-passwords.ts';
import { createProxyQuestions } from '../way-out/proxy-questions.ts';
import { readProxySetting, readScriptByDhcp } from '../way-out/read-proxy-setting.ts';
import { discoverScript } from '../way-out/script/discover-script.ts';
import { hostOf } from '../way-out/way-out-to.ts';
import { createWaysOut, type WaysOut } from '../way-out/ways-out.ts';
import type { CoreOptions } from './core-options.ts';

/** How the app gets out of this computer: by a proxy, through the tunnel, or neither. */
export interface CoreWayOut {
  ways: WaysOut;
  /** To a host that is not behind the tunnel. */
  wayTo: FindWay;
  /** To the service. */
  serviceFetch: ServiceFetch;
  /** Whether traffic flows outside a tunnel. */
  isOpen(): boolean;
  /** Whether the service is reached through the tunnel. */
  isInsideTunnel(): boolean;
}

export function createCoreWayOut({
  settings,
  helper,
  log,
  ...options
}: Pick<CoreOptions, 'runProgram' | 'session' | 'keychain'> & {
  settings: Settings;
  helper: Pick<HelperClient, 'state'>;
  log: Logger;
}): CoreWayOut {
  const isOpen = () => {
    const now = helper.state();
    return (now.state === 'disconnected' || now.state === 'invalid') && !now.blocked;
  };
  const tunnelReach = (): TunnelReach => {
    const now = helper.state();
    if (now.state !== 'connected') return 'nothing';
    return now.routing.mode === 'global' ? 'everything' : 'a-part';
  };
  const ways = createWaysOut({
    read: () =>
      readProxySetting({
        run: options.runProgram,
        env: options.session,
        before: settings.get('proxyBefore'),
      }),
    discover: () => discoverScript({ byDhcp: () => readScriptByDhcp(options.runProgram) }),
    passwords: createProxyPasswords(options.keychain, log),
    isOpen,
    log,
  });
  const wayTo = wayOutside(ways, tunnelReach);
  return {
    ways,
    wayTo,
    serviceFetch: createServiceFetch(openByWay(wayTo, ways)),
    isOpen,
    isInsideTunnel: () => tunnelReach() === 'everything',
  };
}

/** The proxies on the way that want to know who the user is: whom to ask, and when. */
export interface AskedProxies {
  /** Whether the proxy on the way to this host has refused its credentials, or wants some. */
  isRefused(host: string): boolean;
  /** Somebody else has found out that it has. */
  refused(host: string): void;
  /** Asks the user if it has, even if they did not want to enter any before. */
  ask(host: string, signal: AbortSignal): Promise<void>;
  /** Asks unless they did not want to; resolves with whether it has something that it has not refused. */
  consider(host: string): Promise<boolean>;
  /** A user wants to enter something else; resolves likewise. */
  askAnew(host: string): Promise<boolean>;
  /** For calls to the service. */
  callForUser: CallForUser;
}

export function createAskedProxies({
  wayOut,
  apiUrl,
  ...user
}: {
  wayOut: Pick<CoreWayOut, 'ways' | 'isInsideTunnel'>;
  apiUrl: string;
  askUser: AskUser;
  isBusy: () => boolean;
  say: Say;
}): AskedProxies {
  const { ways, isInsideTunnel } = wayOut;
  const questions = createProxyQuestions({ ways, ...user });
  ways.onRefused((way) => void questions.consider(way));

  const refusing = (host: string) => {
    const way = ways.to(host);
    return way && ways.isRefused(way) ? way : undefined;
  };
  const isAnswered = (host: string) => ways.to(host) !== undefined && refusing(host) === undefined;

  return {
    isRefused: (host) => refusing(host) !== undefined,
    refused(host) {
      const way = ways.to(host);
      if (way) ways.refused(way);
    },
    async ask(host, signal) {
      const way = refusing(host);
      if (way) await questions.ask(way, signal);
    },
    async consider(host) {
      const way = refusing(host);
      // Once for one click: who was asked before it and has not answered is not asked again.
      if (way) await questions.consider(way);
      return isAnswered(host);
    },
    async askAnew(host) {
      const way = isInsideTunnel() ? undefined : ways.to(host);
      if (!way) return false;
      ways.refused(way);
      await questions.ask(way);
      return isAnswered(host);
    },
    callForUser: callsThroughProxy({ ways, questions, host: hostOf(apiUrl), isInsideTunnel }),
  };
}
