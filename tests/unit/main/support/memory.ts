import { createGatewayMemory, type GatewayMemory } from '../../../../src/main/gateway/gateway-memory.ts';
import { createSettings } from '../../../../src/main/settings.ts';

/** What is known of gateways, kept nowhere. */
export function createTestMemory(): GatewayMemory {
  const values = new Map<string, unknown>();
  return createGatewayMemory(
    createSettings({
      get: (key) => values.get(key),
      set: (key, value) => void values.set(key, value),
      delete: (key) => void values.delete(key),
      clear: () => values.clear(),
    }),
  );
}
