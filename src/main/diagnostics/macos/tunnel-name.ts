/** macOS's and others' names of tunnels. Not `ppp0`, which may be a modem's. */
export const isTunnelName = (name: string): boolean => /^(?:utun|ipsec|tun|tap|gpd|feth)\d/.test(name);
