import type { TLSSocket } from 'node:tls';

/** What a gateway gives to whoever connects. */
export interface Pushed {
  addresses: { ipv4: string; ipv6: string };
  resolvers: readonly string[];
  mtu: number;
}

/** How datagrams find a tunnel: what the first one names it by, and the port that they go to. */
export interface OfferedDtls {
  id: Buffer;
  port: number;
}

/** In seconds. The helper notices losses sooner, by itself. */
const dpdSeconds = 30;
const keepAliveSeconds = 60;

/** The answer to a CONNECT (draft-mavrogiannopoulos-openconnect-04 §2.2). */
export function tunnelAnswer({ addresses, resolvers, mtu }: Pushed, dtls: OfferedDtls | undefined): string {
  const { ipv4, ipv6 } = addresses;
  const lines = [
    'HTTP/1.1 200 CONNECTED',
    'X-CSTP-Version: 1',
    `X-CSTP-Address: ${ipv4}`,
    'X-CSTP-Netmask: 255.255.255.255',
    `X-CSTP-Address-IP6: ${ipv6}/128`,
    ...resolvers.map((resolver) => `X-CSTP-DNS${resolver.includes(':') ? '-IP6' : ''}: ${resolver}`),
    'X-CSTP-Tunnel-All-DNS: true',
    `X-CSTP-DPD: ${dpdSeconds}`,
    `X-CSTP-Keepalive: ${keepAliveSeconds}`,
    'X-CSTP-Rekey-Method: none',
    `X-CSTP-MTU: ${mtu}`,
    ...(dtls
      ? [
          'X-DTLS-CipherSuite: PSK-NEGOTIATE',
          `X-DTLS-App-ID: ${dtls.id.toString('hex')}`,
          `X-DTLS-Port: ${dtls.port}`,
          `X-DTLS-DPD: ${dpdSeconds}`,
          `X-DTLS-Keepalive: ${keepAliveSeconds}`,
          `X-DTLS-MTU: ${mtu}`,
        ]
      : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Whether a CONNECT asks for DTLS with the tunnel's own key. */
export const wantsDtls = (head: string): boolean => /^x-dtls-ciphersuite:.*\bPSK-NEGOTIATE\b/im.test(head);

const exporterLabel = 'EXPORTER-openconnect-psk';
const keyBytes = 32;

/**
 * The key of a tunnel's DTLS. With TLS 1.2, no context is another one than one that is empty (RFC 5705 §4); Node's
 * types know only the latter.
 */
export function exportKey(socket: TLSSocket): Buffer {
  const exporter = socket as unknown as { exportKeyingMaterial(length: number, label: string): Buffer };
  return exporter.exportKeyingMaterial(keyBytes, exporterLabel);
}
