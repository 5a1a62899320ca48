import { expect, type Locator, type Page } from 'playwright/test';
import { names } from '../../../lab/network/addresses.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import {
  maxNamedNetworks,
  type ActiveRouting,
  type ConnectionProblem,
  type DisconnectReason,
  type TunnelState,
} from '#shared/tunnel/state.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import type { WebviewApp } from '../../webview/webview-app.ts';
import type { Screen } from './screens.ts';
import { textPattern, type TextLanguage } from './texts.ts';

/** As many as a state can name, the longest among them. */
const manyNetworks: ActiveRouting = {
  mode: 'split',
  networks: 2000,
  prefixes: [
    '10.0.0.0/8',
    ...Array.from({ length: maxNamedNetworks - 2 }, (_, index) => `172.16.${index}.0/24`),
    '2001:db8:1234:5678:9abc:def0:1234:5678/128',
  ],
  exceptions: { networks: 1, prefixes: ['10.9.0.0/16'] },
};

const manyProblems: ConnectionProblem[] = ['ipv6-silent', 'no-dns', 'no-internet'];

/** The connect tab in the states of a tunnel that its app tells; that a plan has ended is not said to who has one. */
export function tunnelScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  const route = new ConnectRoute(page, language);
  const gateway = { host: names.gateway, port: 443 };
  const connected = (problems: ConnectionProblem[]): Extract<TunnelState, { state: 'connected' }> => ({
    state: 'connected',
    gateway,
    since: Date.now(),
    addresses: { ipv4: '198.51.100.7', ipv6: '2001:db8::7' },
    transport: 'dtls',
    // The longest of all that is said of a tunnel: only the desktop's has a proxy.
    routing: {
      mode: 'pac',
      proxy: { address: '127.0.0.1:1080', pacUrl: 'http://127.0.0.1:1081/waymaker.pac' },
    },
    ...(problems.length > 0 ? { problems } : {}),
  });
  const refused = (reason: DisconnectReason, text: TextKey, blocked?: true) => ({
    state: { state: 'disconnected' as const, reason, ...(blocked && { blocked }) },
    sees: route.says(text),
  });
  /** A state that tells a time is made when it is shown: before that, others may be looked at for minutes. */
  const states: Record<string, { state: TunnelState | (() => TunnelState); sees: Locator }> = {
    failed: refused('gateway-certificate-refused', 'reason.gatewayCertificateRefused'),
    blocked: {
      state: { state: 'disconnected', reason: 'sign-in-refused', blocked: true },
      sees: route.unblock,
    },
    'captive-portal': refused('captive-portal', 'reason.captivePortalText'),
    'captive-portal-blocked': refused('captive-portal', 'reason.captivePortalBlocked', true),
    'certificate-required': refused('certificate-required', 'reason.certificateRequired'),
    'too-many-sessions': refused('too-many-sessions', 'reason.tooManySessions'),
    'browser-sign-in-blocked': refused('browser-sign-in-blocked', 'reason.browserSignInBlocked', true),
    'server-removed': refused('server-removed', 'reason.serverRemoved'),
    'engine-unsuited': {
      state: { state: 'disconnected', reason: 'engine-unsuited' },
      // The commands that install what is missing; the long language has none.
      sees: page.getByRole('main').locator('code').or(route.says('reason.engineUnsuited')).last(),
    },
    'proxy-refused': refused('proxy-refused', 'reason.proxyRefused'),
    'proxy-credentials': refused('proxy-credentials', 'reason.proxyCredentials'),
    'proxy-untrusted': refused('proxy-untrusted', 'reason.proxyUntrusted'),
    'address-conflict': refused('address-conflict', 'reason.addressConflict'),
    'helper-restarted': refused('helper-restarted', 'reason.helperRestarted'),
    'protection-lost': refused('protection-lost', 'reason.protectionLost', true),
    'protection-failed': refused('protection-failed', 'reason.protectionFailed'),
    'journal-unreadable': refused('journal-unreadable', 'reason.journalUnreadable', true),
    'owned-by-other': {
      state: { state: 'disconnected', reason: 'session-ended', blocked: true, ownedByOther: true },
      sees: route.says('connect.ownedByOther'),
    },
    'owned-by-other-connected': {
      state: { ...connected(['ipv6-silent']), ownedByOther: true },
      sees: route.says('connect.ownedByOther'),
    },
    resolving: {
      state: { state: 'connecting', gateway, attempt: 1, phase: 'resolving' },
      sees: route.says('connect.phaseResolving'),
    },
    'blocked-by-portal': {
      state: { state: 'disconnected', reason: 'captive-portal', blocked: true },
      sees: route.passPortal,
    },
    connecting: {
      state: { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' },
      sees: route.status('connect.connecting'),
    },
    reconnecting: {
      state: { state: 'connecting', gateway, attempt: 3, phase: 'waiting' },
      sees: route.status('connect.reconnecting'),
    },
    'routes-overruled-reconnecting': {
      state: { state: 'connecting', gateway, attempt: 3, phase: 'waiting', problems: ['routes-overruled'] },
      sees: route.says('problem.routesOverruledText'),
    },
    connected: { state: connected([]), sees: route.status('connect.connected') },
    'session-ends-soon': {
      state: () => ({ ...connected([]), terms: { endsAt: Date.now() + 4 * 60_000 } }),
      sees: page.getByText(textPattern(language, 'connect.sessionEndsSoon')),
    },
    'idle-ends-soon': {
      state: () => ({ ...connected([]), terms: { idleEndsAt: Date.now() + 2 * 60_000 } }),
      sees: page.getByText(textPattern(language, 'connect.idleEndsSoon')),
    },
    'nothing-passes': {
      state: connected(['nothing-passes']),
      sees: route.status('problem.nothingPasses'),
    },
    'ipv4-silent': { state: connected(['ipv4-silent']), sees: route.status('problem.ipv4Silent') },
    'ipv6-silent': { state: connected(['ipv6-silent']), sees: route.status('problem.ipv6Silent') },
    'dns-silent': { state: connected(['dns-silent']), sees: route.status('problem.dnsSilent') },
    'names-fail': { state: connected(['names-fail']), sees: route.status('problem.namesFail') },
    'no-dns': { state: connected(['no-dns']), sees: route.status('problem.noDns') },
    'dns-contested': { state: connected(['dns-contested']), sees: route.status('problem.dnsContested') },
    'routes-overruled': {
      state: connected(['routes-overruled']),
      sees: route.status('problem.routesOverruled'),
    },
    // As much as can be wrong at once.
    problems: { state: connected(manyProblems), sees: route.otherProblems },
    'no-internet': { state: connected(['no-internet']), sees: route.status('problem.noInternet') },
    'sign-in-needed': {
      state: { state: 'disconnected', reason: 'sign-in-refused' },
      sees: route.status('connect.signInNeeded'),
    },
    ...Object.fromEntries(
      (
        [
          ['helper-absent', 'cause.helperAbsentTitle'],
          ['helper-unapproved', 'cause.helperUnapprovedTitle'],
          ['helper-incompatible', 'cause.helperIncompatibleTitle'],
          ['installation-refused', 'cause.installationRefusedTitle'],
          ['permission-denied', 'cause.permissionDeniedTitle'],
          ['engine-absent', 'cause.engineAbsentTitle'],
          ['tunnel-unsupported', 'cause.tunnelUnsupportedTitle'],
        ] as const
      ).map(([cause, title]) => [cause, { state: { state: 'invalid', cause }, sees: route.status(title) }]),
    ),
    'helper-absent-blocked': {
      state: { state: 'invalid', cause: 'helper-absent', blocked: true },
      sees: route.says('cause.helperAbsentTitle'),
    },
  };
  return [
    ...Object.entries(states).map(([name, { state, sees }]) => ({
      name,
      route,
      act: async () => app.become(typeof state === 'function' ? state() : state),
      sees,
    })),
    {
      name: 'problems-unfolded',
      route,
      act: async () => {
        app.become(connected(manyProblems));
        await expect(route.status('problem.noInternet')).toBeVisible();
        await route.otherProblems.click();
      },
      sees: route.says('problem.noDnsText'),
    },
    {
      name: 'connected-details',
      route,
      act: async () => {
        app.become({ ...connected([]), terms: { endsAt: Date.now() + 8 * 3_600_000 } });
        await expect(route.status('connect.connected')).toBeVisible();
        await route.openDetails();
      },
      sees: route.proxyConfiguration,
    },
    {
      name: 'connected-networks',
      route,
      act: async () => {
        app.become({ ...connected([]), routing: manyNetworks });
        await expect(route.says('connect.protectedSplit')).toBeVisible();
        await route.openDetails();
      },
      sees: route.says('connect.networkExceptions'),
    },
  ];
}
