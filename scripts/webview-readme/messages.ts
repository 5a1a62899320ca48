import type { WebviewContract } from '#shared/host/webview-contract.ts';

/** What the contract's data does not say: what each message is for, and an example of it. */
export interface MessageNote {
  text: string;
  /** What the page sends; absent if there is no input. */
  input?: unknown;
  /** What the app answers or, for an event, emits. */
  output: unknown;
}

type Channel = {
  [Group in keyof WebviewContract]: `${Group}.${keyof WebviewContract[Group] & string}`;
}[keyof WebviewContract];

/** For this gateway only. */
const login = { username: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31', password: 'Q2x9…' };
const gateway = { host: 'gw.example.net', port: 443 };

export const messageNotes: Record<Channel, MessageNote> = {
  'app.describe': {
    text: 'The first message of every page: what is around it. `kind` is `webview`. `device.platform` is `android` or `ios`; `device.name` is what the account’s device list will show; `device.lang` is a BCP 47 tag. `hasTunnel` decides whether there is a connect tab. `routingModes` has `global` if there is a tunnel, and `app` (Android) or `ip` (iOS) if the app can route so. `measuresLatency` says that the app answers `servers.latency`; without it the page does not ask, and offers no fastest server.',
    output: {
      kind: 'webview',
      device: {
        name: 'Pixel 9',
        platform: 'android',
        arch: 'arm64',
        version: '1.0.0',
        lang: 'en-GB',
        timezone: 'Europe/Zurich',
      },
      hasTunnel: true,
      routingModes: ['global', 'app'],
      measuresLatency: true,
    },
  },
  'app.openExternal': {
    text: 'Opens a link outside the app: `ACTION_VIEW` with `CATEGORY_BROWSABLE` on Android, `UIApplication.open` on iOS. Answer `false`, and open nothing, for any scheme but `https`, `http` and `mailto`, and for an address with a user name or password in it.',
    input: 'https://example.com/help',
    output: true,
  },
  'apps.installed': {
    text: 'Names of the apps on this device, for the choice of what goes through the tunnel: package names on Android (declare what you query in the manifest’s `<queries>`), an empty list on iOS.',
    output: ['com.example.browser', 'com.example.mail'],
  },
  'apps.open': {
    text: 'Opens a mini-app. `webkit`: a web page in an isolated view of its own, with `title` and the page’s host above it: another `WebView`/`WKWebView` without any port or script message handler, with a data store of its own that is not kept (`WKWebsiteDataStore.nonPersistent()`; on Android a `Profile` of its own), `https` and `http` only, no permissions. `native`: as the platform’s own app link, never in a view, so that the app that claims the address opens, or else the browser: an `ACTION_VIEW` intent with `CATEGORY_BROWSABLE` (Android App Links), `UIApplication.open` (universal links). Answer `false` if nothing opened, and for any link other than `https` and `http`.',
    input: { type: 'webkit', link: 'https://wiki.example.net/', title: 'Wiki' },
    output: true,
  },
  'storage.get': {
    text: 'The text kept under a key, or `null`. A key has 1 to 128 letters, digits, `_`, `.`, `:` and `-`. See “Storage” above for the two keys that the app itself reads.',
    input: 'deviceId',
    output: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31',
  },
  'storage.set': {
    text: 'Keeps a text, exactly as it is, over restarts. Answer `false` if it could not be kept.',
    input: { key: 'lastEmail', value: 'ada@example.net' },
    output: true,
  },
  'storage.remove': {
    text: 'Forgets one key. `true` also if there was none; `false` if it could not be forgotten.',
    input: 'lastEmail',
    output: true,
  },
  'storage.clear': {
    text: 'Forgets every key. The page then writes back the device id.',
    output: true,
  },
  'tunnel.prepare': {
    text: 'The page is in view, there is no tunnel, and this server is chosen: a click on Connect is likely. Told again every minute. The app may sign in to it ahead, so that connecting is quicker, or do nothing. `login` is as with `tunnel.connect`.',
    input: { address: 'anyconnect://gw.example.net:443', login },
    output: null,
  },
  'tunnel.connect': {
    text: 'Begins to connect, and ends another tunnel first, whatever end that had. The address is `anyconnect://host:port`, an IPv6 address in brackets; protocol and port may be absent and are then `anyconnect` and 443. Answer at once, `ok` or why not: `bad-address`; `not-signed-in` if the storage has no token; `unavailable` if the system does not let the app make tunnels. Everything after that is told by `tunnel.stateChanged`. `allowedUntil` is when the trial or the plan ends, in milliseconds since 1970, or `null` if there is no end in sight: at that time the app ends the tunnel, or the attempt, by itself, whether or not the page still runs, with the state `disconnected` and the `reason` that came with it. Keep it with the tunnel, over restarts of the app’s own process, and compare it with the clock of the day, so that a device that slept through it ends the tunnel on waking. `login` is what the app signs in with at this gateway, and at no other but one that this gateway redirects to: the gateway’s own password of this device, which the service does not take for the token. Keep it with the tunnel, in the system’s secure storage, to sign in again when the session is over. With `null` the app asks the user.',
    input: {
      address: 'anyconnect://gw.example.net:443',
      allowedUntil: { at: 1_790_000_000_000, reason: 'trial-ended' },
      login,
    },
    output: { ok: true },
  },
  'tunnel.setAllowedUntil': {
    text: 'Moves the end of the tunnel that there is, or that is being made, e.g. because a plan was bought or ended; `null`: it has none any more. Nothing happens without a tunnel.',
    input: { allowedUntil: null },
    output: null,
  },
  'tunnel.disconnect': {
    text: 'Ends the tunnel, or the attempt. With a `reason`, the state afterwards is `disconnected` with that reason.',
    input: { reason: 'trial-ended' },
    output: null,
  },
  'tunnel.snapshot': {
    text: 'The tunnel’s state now; the page asks every 5 seconds besides listening, while it is seen. `disconnected` carries the reason if the tunnel ended or failed by itself; `connecting` counts its attempts from 1 and goes on counting on a re-connect; `invalid` says why no tunnel can be made at all. `blocked` with either says that traffic is blocked all the same, until `tunnel.disconnect`; the page then offers that. `since` is in milliseconds since 1970.',
    output: {
      state: 'connected',
      gateway,
      since: 1_790_000_000_000,
      addresses: { ipv4: '198.51.100.7' },
      transport: 'dtls',
      routing: { mode: 'app' },
    },
  },
  'tunnel.statistics': {
    text: 'Bytes received and sent since the tunnel was made; `null` while there is none.',
    output: { received: 52_428_800, sent: 1_048_576 },
  },
  'tunnel.stateChanged': {
    text: 'Every change of the tunnel’s state, in order, also those that the page did not ask for.',
    output: { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' },
  },
  'servers.latency': {
    text: 'How long it takes to open a TCP connection to this server’s gateway, in milliseconds: the better of two tries, each closed before anything is sent, and given up after 1.5 seconds. `null` if nothing answered, or if the address is none. `throughTunnel` says that the way led through the tunnel that is up, since its own length is in it then. Asked for only when the user wants to know, for six servers at a time, and never while a tunnel is being made or ended, or traffic is blocked. Only where `app.describe` says `measuresLatency`.',
    input: { address: 'anyconnect://gw.example.net:443' },
    output: { milliseconds: 23.4, throughTunnel: false },
  },
  'routing.get': {
    text: 'What was set last, over restarts; `{"mode":"global"}` before that.',
    output: { mode: 'global' },
  },
  'routing.set': {
    text: 'Which traffic goes through the tunnel: all (`global`), that of `routeApps` (`app`: `VpnService.Builder.addAllowedApplication`), or that to `routeIps` (`ip`: `NEIPv4Settings.includedRoutes`). An empty list means that nothing goes through the tunnel. Android means the opposite by a `Builder` without `addAllowedApplication`: all apps. So allow the app’s own package then, whose own sockets to the gateway are protected anyway, and do the same if none of the listed packages is installed (`NameNotFoundException` is no reason to fail: skip that one). Holds for a tunnel that is up, and for every later one. Answer `false`, and change nothing, for a mode that is not among `routingModes`, or if the system refuses.',
    input: { mode: 'app', routeApps: ['com.example.browser'] },
    output: true,
  },
};
