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
    text: 'The first message of every page: asks what surrounds it. `kind` is `webview`. `device.platform` is `android` or `ios`; `device.name` appears in the account’s list of devices; `device.lang` is a BCP 47 tag. `hasTunnel` decides whether there is a connect tab. `routingModes` has `global` if there is a tunnel, and `app` (Android) or `ip` (iOS) if the app supports that. `measuresLatency` says that the app answers `servers.latency`; without it, the page does not send that request, and offers no fastest server.',
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
    text: 'Opens a link outside the app: `ACTION_VIEW` with `CATEGORY_BROWSABLE` on Android, `UIApplication.open` on iOS. Answer `false`, and open nothing, for any scheme except `https`, `http` and `mailto`, and for an address that contains a user name or password.',
    input: 'https://example.com/help',
    output: true,
  },
  'apps.installed': {
    text: 'Names of the apps on this device, for choosing which go through the tunnel: package names on Android (declare what you query in the manifest’s `<queries>`), an empty list on iOS.',
    output: ['com.example.browser', 'com.example.mail'],
  },
  'apps.open': {
    text: 'Opens a mini-app. `webkit`: a web page in a separate isolated view, with `title` and the page’s host above it: another `WebView`/`WKWebView` without any port or script message handler, with its own temporary data store (`WKWebsiteDataStore.nonPersistent()`; on Android a separate `Profile`), `https` and `http` only, without permissions. `native`: as the platform’s own app link, never in a view, so that it opens in the app that claims the address, or else in the browser: an `ACTION_VIEW` intent with `CATEGORY_BROWSABLE` (Android App Links), `UIApplication.open` (universal links). Answer `false` if nothing opened, and for any link other than `https` and `http`.',
    input: { type: 'webkit', link: 'https://wiki.example.net/', title: 'Wiki' },
    output: true,
  },
  'storage.get': {
    text: 'The text stored under a key, or `null`. A key has 1 to 128 letters, digits, `_`, `.`, `:` and `-`. See “Storage” above for the two keys that the app itself reads.',
    input: 'deviceId',
    output: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31',
  },
  'storage.set': {
    text: 'Stores a text unchanged, over restarts. Answer `false` if it could not be stored.',
    input: { key: 'lastEmail', value: 'ada@example.net' },
    output: true,
  },
  'storage.remove': {
    text: 'Deletes one key. `true` even if it did not exist; `false` if it could not be deleted.',
    input: 'lastEmail',
    output: true,
  },
  'storage.clear': {
    text: 'Deletes all keys. The page then writes the device id again.',
    output: true,
  },
  'tunnel.prepare': {
    text: 'The page is visible, there is no tunnel, and this server is chosen, so a click on Connect is likely. Sent again every minute. The app may sign in to the server in advance, so that connecting is faster, or do nothing. `login` is the same as in `tunnel.connect`.',
    input: { address: 'anyconnect://gw.example.net:443', login },
    output: null,
  },
  'tunnel.connect': {
    text: 'Starts to connect, after ending any other tunnel, whatever its `allowedUntil`. The address is `anyconnect://host:port`, with IPv6 addresses in brackets; if protocol and port are absent, they are `anyconnect` and 443. Answer at once with `ok`, or with the reason: `bad-address`; `not-signed-in` if the storage has no token; `unavailable` if the system does not let the app make tunnels. Report everything after that with `tunnel.stateChanged`. `allowedUntil` is when the trial or the plan ends, in milliseconds since 1970, or `null` if no end is known. At that time, the app ends the tunnel, or the attempt, by itself, whether or not the page is still running, with the state `disconnected` and the `reason` that came with it. Store it with the tunnel, over restarts of the app’s own process, and compare it with the wall clock, so that a device that was asleep ends the tunnel when it wakes up. `login` has the credentials for this gateway, and for no other except one that this gateway redirects to. The password is this device’s own for the gateway, and the service does not accept it as a token. Store it with the tunnel, in the system’s secure storage, to sign in again when the session has ended. With `null`, the app asks the user.',
    input: {
      address: 'anyconnect://gw.example.net:443',
      allowedUntil: { at: 1_790_000_000_000, reason: 'trial-ended' },
      login,
    },
    output: { ok: true },
  },
  'tunnel.setAllowedUntil': {
    text: 'Changes the end of the current tunnel, or of the one in progress, e.g. because a plan was bought or ended; `null` removes it. Does nothing without a tunnel.',
    input: { allowedUntil: null },
    output: null,
  },
  'tunnel.disconnect': {
    text: 'Ends the tunnel, or the attempt. With a `reason`, the state afterwards is `disconnected` with that reason.',
    input: { reason: 'trial-ended' },
    output: null,
  },
  'tunnel.snapshot': {
    text: 'The tunnel’s current state. While the page is visible, it asks every 5 seconds, in addition to listening. `disconnected` carries the reason if the tunnel ended or failed by itself; `connecting` counts its attempts from 1, and continues counting while reconnecting; `invalid` says why no tunnel can be made at all. `disconnected` or `invalid` with `blocked` says that traffic is still blocked, until `tunnel.disconnect`, which the page then offers. `since` is in milliseconds since 1970.',
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
    text: 'Bytes received and sent since the tunnel was established; `null` without a tunnel.',
    output: { received: 52_428_800, sent: 1_048_576 },
  },
  'tunnel.stateChanged': {
    text: 'Every change of the tunnel’s state, in order, including those that the page did not ask for. If servers share a gateway and differ in their `path`, its `path` says where this tunnel’s sign-in began; absent, any of them may be meant.',
    output: { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' },
  },
  'servers.latency': {
    text: 'How long it takes to open a TCP connection to this server’s gateway, in milliseconds: the better of two tries, each given up after 1.5 seconds. `null` if nothing answered, or if the address is invalid. `throughTunnel` says that the connection went through the current tunnel, so that the time includes the tunnel’s own latency. `isProven` says whether a TLS handshake at this gateway showed a certificate with which the app would connect; where it is `false`, the page never chooses the server by itself. Sent only when the user asks for it, for six servers at a time, and never while a tunnel is in progress or being ended, or while traffic is blocked. Only if `app.describe` says `measuresLatency`.',
    input: { address: 'anyconnect://gw.example.net:443' },
    output: { milliseconds: 23.4, throughTunnel: false },
  },
  'routing.get': {
    text: 'The last value of `routing.set`, over restarts; `{"mode":"global"}` before the first one.',
    output: { mode: 'global' },
  },
  'routing.set': {
    text: 'Which traffic goes through the tunnel: all (`global`), that of `routeApps` (`app`: `VpnService.Builder.addAllowedApplication`), or that to `routeIps` (`ip`: `NEIPv4Settings.includedRoutes`). An empty list means that nothing goes through the tunnel. On Android, a `Builder` without `addAllowedApplication` means the opposite, all apps. So in that case, allow the app’s own package, whose sockets to the gateway are protected anyway. Do the same if none of the listed packages is installed (`NameNotFoundException` is no reason to fail: skip that package). Applies to a tunnel that is up, and to every later one. Answer `false`, and change nothing, for a mode that is not in `routingModes`, or if the system refuses.',
    input: { mode: 'app', routeApps: ['com.example.browser'] },
    output: true,
  },
};
