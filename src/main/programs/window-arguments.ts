/**
 * Arguments and preferences that make browsers send everything to one proxy, and nothing anywhere else even if the
 * proxy is gone.
 */

/** For Chromium and browsers based on it; `proxyAddress` is an `address:port`. */
export const chromiumThroughProxy = (proxyAddress: string): string[] => [
  // No DIRECT after it: if the proxy is gone, requests fail.
  `--proxy-server=socks5://${proxyAddress}`,
  // Includes loopback, which Chromium leaves out by default.
  '--proxy-bypass-list=<-loopback>',
  // Only the proxy may look up names; without this, Chromium looks some up in advance ("SOCKS proxy",
  // net/docs/proxy.md).
  `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${proxyAddress.replace(/:\d+$/, '')}`,
  // WebRTC's datagrams bypass all proxies. Each of the two names works in some versions.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** The same in a profile, for versions that support neither name. */
export const chromiumPreferences = JSON.stringify({
  webrtc: { ip_handling_policy: 'disable_non_proxied_udp' },
});

export const chromiumWindow = (profile: string): string[] => [
  `--user-data-dir=${profile}`,
  '--incognito',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-sync',
  // The profile stores nothing that would need to be protected.
  '--password-store=basic',
  // These look for devices on the local network.
  '--disable-features=MediaRouter,DialMediaRouteProvider',
];

/** The content of a profile's user.js, for Firefox. */
export function firefoxThroughProxy(proxyAddress: string): string {
  const colon = proxyAddress.lastIndexOf(':');
  const preferences: Record<string, string | number | boolean> = {
    'network.proxy.type': 1,
    'network.proxy.socks': proxyAddress.slice(0, colon),
    'network.proxy.socks_port': Number(proxyAddress.slice(colon + 1)),
    'network.proxy.socks_version': 5,
    'network.proxy.socks_remote_dns': true,
    'network.proxy.no_proxies_on': '',
    'network.proxy.allow_hijacking_localhost': true,
    'network.proxy.failover_direct': false,
    // Otherwise Firefox's own requests go out directly when the proxy refuses them.
    'network.proxy.allow_bypass': false,
    // Only the proxy may look up names: neither in advance nor by DNS over HTTPS.
    'network.dns.disablePrefetch': true,
    'network.dns.disablePrefetchFromHTTPS': true,
    'network.trr.mode': 5,
    'media.peerconnection.ice.proxy_only': true,
    'network.http.http3.enable': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'browser.privatebrowsing.autostart': true,
    'browser.shell.checkDefaultBrowser': false,
    'browser.aboutwelcome.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false,
  };
  return Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

export const firefoxWindow = (profile: string): string[] => ['--profile', profile, '--no-remote'];
