import { eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { gatewayPasswords } from '../database/schema/gateways.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { defaultGateway } from '#shared/constants.ts';
import type { GatewayAccess } from './gateway-port.ts';

/** A signed-in device: the parts from which its gateway passwords are derived. */
export interface SignIn {
  deviceId: string;
  tokenHash: string;
}

/** A device's password at one place. */
export interface PlacePassword {
  place: string;
  hash: string;
}

/** Passwords of devices at gateways. They are derived from the service's key, so that only their hashes are stored. */
export interface GatewayPasswords {
  /**
   * The password of a device at a place. It belongs to this sign-in and ends with the device's token. Only the service
   * can compute one from the other.
   */
  passwordAt(signIn: SignIn, place: string): string;
  /** The passwords at these places, hashed as gateways store them. */
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

/** The port of a server that may not specify one. */
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
