/** Pinned keys by host name in lower case; a gateway without pins is verified against the system's roots. */
export type GatewayPins = Readonly<Record<string, readonly string[]>>;

/** The keys that a gateway may have; empty without pins. */
export function pinsOf(pins: GatewayPins, host: string): readonly string[] {
  const name = host.toLowerCase();
  return (Object.hasOwn(pins, name) && pins[name]) || [];
}
