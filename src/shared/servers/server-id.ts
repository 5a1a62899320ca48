import * as z from 'zod/mini';

/** By which a server is chosen and kept; one with any other id is left out of lists (plan/choosable-servers.ts). */
export const serverId = z.string().check(z.minLength(1), z.maxLength(256));
