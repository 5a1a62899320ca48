/** How browsers are told to send everything to one proxy, and nothing anywhere else whatever becomes of it. */

/** Of Chromium and all that is made of it; `proxyAddress` is an `address:port`. */
export const chromiumThroughProxy = (proxyAddress: string): string[] => [
  // No DIRECT behind it: while the proxy is gone nothing is found.
  `--proxy-server=socks5://${proxyAddress}`,
  // Loopback too, which Chromium leaves out unless told.
  '--proxy-bypass-list=<-loopback>',
  // Names are for the proxy alone; without this some are looked up ahead (Chromium, "SOCKS proxy", net/docs/proxy.md).
  `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${proxyAddress.replace(/:\d+$/, '')}`,
  // WebRTC's datagrams go past every proxy. Both names, of which each is some versions'.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** The same in a profile, for versions that know neither name. */
export const chromiumPreferences = JSON.stringify({
  webrtc: { ip_handling_policy: 'disable_non_proxied_udp' },
});

export const chromiumWindow = (profile: string): string[] => [
  `--user-data-dir=${profile}`,
  '--incognito',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-sync',
  // It keeps nothing that would have to be kept safe.
  '--password-store=basic',
  // They look for devices in the local network.
  '--disable-features=MediaRouter,DialMediaRouteProvider',
];

/** A profile's user.js, for Firefox. */
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
    // Requests of Firefox itself go out directly otherwise when the proxy refuses them.
    'network.proxy.allow_bypass': false,
    // Names by the proxy alone: neither ahead nor by DNS over HTTPS.
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
