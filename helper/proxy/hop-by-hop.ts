/** Fields that are only for the next hop (RFC 9110 §7.6.1, and RFC 2616 §13.5.1 for older ones). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * The fields that a proxy passes on, in Node's form `[name, value, name, value, …]`: without those for this hop, and
 * without those that the Connection field names.
 */
export function endToEndFields(rawHeaders: readonly string[], without: readonly string[] = []): string[] {
  const dropped = new Set([...hopByHop, ...without, ...connectionOptions(rawHeaders)]);
  return pairs(rawHeaders)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}

/**
 * Whether the Connection field names the body's length, which is for all recipients (RFC 9110 §7.6.1). Without it, the
 * next recipient would treat the body as a separate message.
 */
export function dropsLength(rawHeaders: readonly string[]): boolean {
  return connectionOptions(rawHeaders).includes('content-length');
}

function connectionOptions(rawHeaders: readonly string[]): string[] {
  return pairs(rawHeaders)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase()));
}

function pairs(flat: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: Math.floor(flat.length / 2) }, (_, index) => [
    flat[index * 2] ?? '',
    flat[index * 2 + 1] ?? '',
  ]);
}
