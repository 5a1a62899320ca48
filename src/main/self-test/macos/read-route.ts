/** What `route -n get` prints, as far as it matters; without a device there is no route. */
export function readRoute(text: string): { device: string | undefined; gateway: string | undefined } {
  const field = (name: string) => new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(text)?.[1];
  const gateway = field('gateway');
  // A link's own address means that there is no router.
  return {
    device: field('interface'),
    gateway: gateway !== undefined && /^[\d.]+$/.test(gateway) ? gateway : undefined,
  };
}
