import { eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { gatewayPasswords } from '../database/schema/gateways.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { defaultGateway } from '#shared/constants.ts';
import type { GatewayAccess } from './gateway-access.ts';

/** A signed-in device, as far as its passwords at gateways come from it. */
export interface SignIn {
  deviceId: string;
  tokenHash: string;
}

/** What a device signs in with at one place. */
export interface PlacePassword {
  place: string;
  hash: string;
}

/** The passwords of devices at gateways: derived from the service's key, so that only hashes of them are stored. */
export interface GatewayPasswords {
  /**
   * Of a device at a place. It is of this sign-in only: it ends with the device's token, from which nobody but the
   * service can work it out, nor the other way round.
   */
  passwordAt(signIn: SignIn, place: string): string;
  /** The passwords at places, as gateways store them. */
  hashed(signIn: SignIn, places: readonly string[]): Promise<PlacePassword[]>;
}

export function createGatewayPasswords(hash: KeyedHash, gateways: GatewayAccess): GatewayPasswords {
  const passwordAt = ({ deviceId, tokenHash }: SignIn, place: string) =>
    hash('gateway password', JSON.stringify([deviceId, tokenHash, place]));
  return {
    passwordAt,
    async hashed(signIn, places) {
      const hashes = await gateways.hashPasswords(places.map((place) => passwordAt(signIn, place)));
      return places.map((place, index) => ({ place, hash: hashes[index] ?? '' }));
    },
  };
}

/** The port of a server that does not say. */
export const portOf = ({ port }: { port: number | null }): number => port ?? defaultGateway.port;

/** The places at which a device has a password. */
export async function placesOf(database: Database, gatewayUser: string): Promise<Set<string>> {
  const rows = await database
    .select({ place: gatewayPasswords.place })
    .from(gatewayPasswords)
    .where(eq(gatewayPasswords.gatewayUser, gatewayUser));
  return new Set(rows.map(({ place }) => place));
}

export async function storePasswords(
  database: Database,
  gatewayUser: string,
  passwords: readonly PlacePassword[],
): Promise<void> {
  if (passwords.length === 0) return;
  const rows = passwords.map((password) => ({ ...password, gatewayUser }));
  await database.insert(gatewayPasswords).values(rows).onConflictDoNothing();
}
