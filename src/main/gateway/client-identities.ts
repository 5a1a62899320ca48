import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import type { HostImplementation } from '#shared/host/contract.ts';
import { gatewayFormLimits } from '#shared/host/gateway-form.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Keychain } from '../session/keychain.ts';
import { sanitizeText } from './sanitize-text.ts';
import { withTimeout } from '../with-timeout.ts';
import { authority } from './authority.ts';
import { readCertificateFile, type ClientIdentity } from './client-certificate.ts';
import type { GatewayMemory } from './gateway-memory.ts';

/** The certificates with which the user signs in to gateways. Their keys are only in the system's keychain. */
export interface ClientIdentities {
  /** Undefined if the user has chosen none, or the keychain does not return its key. */
  of: (gateway: Gateway) => Promise<ClientIdentity | undefined>;
  readonly host: HostImplementation['gatewayCertificate'];
  /** Removes the keys of all certificates, before the certificates themselves are forgotten. */
  removeKeys(): Promise<void>;
}

export interface ClientIdentitiesOptions {
  keychain: Keychain;
  memory: Pick<
    GatewayMemory,
    'listed' | 'certificate' | 'setCertificate' | 'wantsCertificate' | 'withCertificate'
  >;
  /** The certificate was replaced or removed. */
  changed(): void;
  log: Logger;
}

/** A locked keychain asks the user first; a broken one never answers. */
const keychainTimeoutMs = 5000;

export function createClientIdentities(options: ClientIdentitiesOptions): ClientIdentities {
  const { keychain, memory, log } = options;
  const accountAt = (at: string) => `certificate key ${at}`;
  const accountOf = (gateway: Gateway) => accountAt(authority(memory.listed(gateway)).toLowerCase());

  async function keep(gateway: Gateway, { certificate, key }: ClientIdentity): Promise<boolean> {
    try {
      const written = keychain.write(accountOf(gateway), key).then(() => true);
      if (!(await withTimeout(written, keychainTimeoutMs, false))) return false;
    } catch (error) {
      log.warn({ err: error }, 'the keychain does not keep the certificate’s key');
      return false;
    }
    return memory.setCertificate(gateway, certificate);
  }

  /** A key that stays is of no use without its certificate. */
  async function removeKey(account: string): Promise<void> {
    try {
      await withTimeout(keychain.remove(account), keychainTimeoutMs, undefined);
    } catch (error) {
      log.warn({ err: error }, 'the keychain does not remove the certificate’s key');
    }
  }

  return {
    async of(gateway) {
      const certificate = memory.certificate(gateway);
      if (certificate === undefined) return undefined;
      try {
        const key = await withTimeout(keychain.read(accountOf(gateway)), keychainTimeoutMs, null);
        if (key !== null) return { certificate, key };
      } catch (error) {
        log.warn({ err: error }, 'the keychain does not give the certificate’s key');
      }
      return undefined;
    },
    host: {
      get({ address }) {
        const gateway = parseServerAddress(address)?.gateway;
        const chain = gateway && memory.certificate(gateway);
        return {
          wanted: gateway !== undefined && memory.wantsCertificate(gateway),
          certificate: chain === undefined ? null : describe(chain),
        };
      },
      async set({ address, file, password }) {
        const gateway = parseServerAddress(address)?.gateway;
        if (!gateway) return { ok: false, error: 'not-a-certificate' };
        const result = readCertificateFile(Buffer.from(file, 'base64'), password);
        if (!result.ok) return result;
        if (!(await keep(gateway, result.identity))) return { ok: false, error: 'not-stored' };
        options.changed();
        return { ok: true };
      },
      async remove({ address }) {
        const gateway = parseServerAddress(address)?.gateway;
        if (!gateway || !memory.setCertificate(gateway, undefined)) return false;
        options.changed();
        await removeKey(accountOf(gateway));
        return true;
      },
    },
    async removeKeys() {
      await Promise.all(memory.withCertificate().map((at) => removeKey(accountAt(at))));
    },
  };
}

/** The name by which people know a certificate, without what protects its signs in one line (RFC 4514 §2.4). */
function describe(chain: string): { name: string; validTo: string } {
  const certificate = new X509Certificate(chain);
  const subject: Partial<Record<string, string | string[]>> = certificate.toLegacyObject().subject;
  const names = [subject['CN'] ?? Object.values(subject)].flat(2);
  return {
    name: sanitizeText(names[0] ?? certificate.serialNumber, gatewayFormLimits.label),
    validTo: certificate.validToDate.toISOString(),
  };
}
