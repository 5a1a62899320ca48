import { expect, onTestFinished, vi } from 'vitest';
import type { Gateway, Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayRefusal } from '../../../../src/main/tunnel/account-plan.ts';
import type { SignedIn, SignIn, SignInResult } from '../../../../src/main/gateway/sign-in/session.ts';
import { createDestinations } from '../../../../src/main/tunnel/destination.ts';
import { createHelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import {
  createTunnelController,
  type TunnelControllerOptions,
} from '../../../../src/main/tunnel/tunnel-controller.ts';
import { startTestHelper } from './helper.ts';
import { createTestLog } from './log.ts';
import { createTestMemory } from './memory.ts';
import { gateway, routing } from './tunnel-states.ts';

export const address = 'anyconnect://gw.example.net:443';
export const session = { cookie: 'webvpn=c00kie', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
export const authenticating = {
  state: 'connecting',
  gateway,
  attempt: 1,
  phase: 'authenticating',
} as const satisfies TunnelState;
export const handshaking = { ...authenticating, phase: 'handshaking' } as const satisfies TunnelState;

export interface SetUp {
  addresses?: string[];
  /** What each sign-in in turn comes to; the last one repeats. */
  results?: (SignInResult | Promise<SignInResult>)[];
  /** Signs in instead of giving `results`. */
  signIn?: SignIn;
  signedIn?: boolean;
  helperState?: TunnelState;
  helperAbsent?: boolean;
  killSwitch?: boolean;
  resolvedAhead?: boolean;
  /** Whether the helper goes on at other addresses. */
  takesAddresses?: boolean;
  /** Whether the helper can hold connections ready. */
  holds?: boolean;
  /** Whether it carries sign-ins to each of the gateway's addresses, and holds a connection meanwhile. */
  signsInAnywhere?: boolean;
  isPageInView?: () => boolean;
  isMetered?: () => Promise<boolean>;
  isProxyRefused?: () => boolean;
  proxyTo?: TunnelControllerOptions['proxyTo'];
  /** What is known in addition once there is a tunnel. */
  learnt?: string[];
  isBehindPortal?: () => Promise<boolean>;
  /** Whether listed servers share the gateway, and differ in where their sign-in begins. */
  isSharedByPath?: boolean;
  beforeSignIn?: (to: Gateway, signal: AbortSignal) => Promise<void>;
}

export const done = (at = '192.0.2.1'): SignInResult => ({
  ok: true,
  signedIn: { gateway, address: at, session },
});

/**
 * A controller on a helper that behaves, connecting as asked and handshaking once it has a session, until the test
 * ends.
 */
export async function setUp(options: SetUp = {}) {
  const { addresses = ['192.0.2.1'], results = [done()], helperState } = options;
  const running = await startTestHelper({
    takesAddresses: options.takesAddresses ?? false,
    holds: options.holds ?? false,
    signsInAnywhere: options.signsInAnywhere ?? false,
    ...(options.proxyTo !== undefined && { takesProxies: 'with-realms' as const }),
  });
  if (helperState) running.set(helperState);
  running.on('connect', (request) => {
    const phase = request.session ? 'handshaking' : 'authenticating';
    running.set({ state: 'connecting', gateway: request.gateway, attempt: 1, phase });
  });
  running.on('provideSession', () => running.set(handshaking));
  running.on('disconnect', ({ reason }) => running.set({ state: 'disconnected', ...(reason && { reason }) }));
  if (options.helperAbsent) await running.stop();

  const { log, text } = createTestLog();
  const helperClient = createHelperClient({ socketPath: running.socketPath, version: '0.1.0', log });
  onTestFinished(async () => {
    helperClient.close();
    await running[Symbol.asyncDispose]();
  });
  const told: TunnelState[] = [];
  const signIns: Parameters<SignIn>[0][] = [];
  const signIn: SignIn = async (request) => {
    signIns.push(request);
    if (options.signIn) return await options.signIn(request);
    return (await results[Math.min(signIns.length, results.length) - 1]) ?? done();
  };
  const known = [...addresses];
  const remembered = new Map<string, string>();
  const lookUps: string[] = [];
  const memory = createTestMemory();
  const sessions: SignedIn[] = [];
  const words: string[] = [];
  const who = {
    isSignedIn: options.signedIn !== false,
    refusal: undefined as GatewayRefusal | undefined | Promise<undefined>,
    hasPlan: true,
  };
  const preferred = {
    routing: routing as Routing,
    resolvers: [] as string[],
    apply: (): Promise<void> => Promise.resolve(),
    /** Resolves when the tunnel has been told. */
    async choose(next: Routing) {
      preferred.routing = next;
      await preferred.apply();
    },
  };
  const forTunnel = () => ({
    routing: preferred.routing,
    killSwitch: options.killSwitch ?? false,
    ...(preferred.resolvers.length > 0 && { ownResolvers: preferred.resolvers }),
  });
  const controller = createTunnelController({
    helper: helperClient,
    addresses: {
      known: () => (options.resolvedAhead === false ? [...remembered.values()] : known),
      resolve(host) {
        lookUps.push(host);
        return Promise.resolve(addresses);
      },
      learnMore: () => Promise.resolve(void known.push(...(options.learnt ?? []).splice(0))),
      isFresh: () => options.resolvedAhead !== false,
      remembered: (host) => remembered.get(host),
      remember: (host, at) => void remembered.set(host, at),
    },
    memory,
    signIn,
    isSignedIn: () => who.isSignedIn,
    refusal: () => Promise.resolve(who.refusal),
    destinations: createDestinations({
      memory,
      plan: { isMarked: () => false, isSharedByPath: () => options.isSharedByPath === true },
    }),
    deadline: () => undefined,
    hasPlan: () => who.hasPlan,
    preferences: {
      forTunnel,
      subscribe: (apply) => {
        preferred.apply = () => apply(forTunnel());
      },
    },
    emit: (state) => told.push(state),
    onSession: (signedIn) => void sessions.push(signedIn),
    onWords: (from, said) => void words.push(`${from.host}: ${said}`),
    ...(options.beforeSignIn && { beforeSignIn: options.beforeSignIn }),
    ...(options.isPageInView && { isPageInView: options.isPageInView }),
    ...(options.isMetered && { isMetered: options.isMetered }),
    ...(options.isProxyRefused && { isProxyRefused: options.isProxyRefused }),
    ...(options.proxyTo && { proxyTo: options.proxyTo }),
    ...(options.isBehindPortal && { isBehindPortal: options.isBehindPortal }),
    log,
  });
  await helperClient.ready;
  const { calls } = running;
  return {
    helper: running,
    tunnel: controller.host,
    controller,
    preferred,
    told,
    signIns,
    remembered,
    /** The names that were looked up. */
    lookUps,
    memory,
    sessions,
    words,
    who,
    log: text,
    /** Calls that change something. */
    commands: () => calls.filter(({ method }) => method !== 'snapshot' && method !== 'statistics'),
    snapshot: async () => await controller.host.snapshot(undefined),
    settled: async (state: object) =>
      await vi.waitFor(async () => expect(await controller.host.snapshot(undefined)).toEqual(state)),
  };
}
