import { createGatewayMemory, type GatewayMemory } from '../../../../src/main/gateway/gateway-memory.ts';
import { createMemorySettings } from './memory-settings.ts';

/** What is known of gateways, kept nowhere. */
export const createTestMemory = (): GatewayMemory => createGatewayMemory(createMemorySettings());
