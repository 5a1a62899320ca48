import { dtlsCipherSuite } from './connect-answer.ts';

export interface ConnectRequest {
  /** The gateway's name, or its address. */
  host: string;
  /** With its name (`webvpn=…`). */
  cookie: string;
  userAgent: string;
  /** The largest packet on the link to the gateway, and inside the tunnel, in bytes. */
  linkMtu: number;
  tunnelMtu: number;
  wantsDtls: boolean;
}

/**
 * The request for a tunnel. It names no encoding, so that nothing is compressed. Nothing may be sent after it before
 * its answer: ocserv 1.5 and later refuse that.
 */
export function connectRequest(request: ConnectRequest): string {
  const { host, cookie, userAgent, linkMtu, tunnelMtu, wantsDtls } = request;
  const lines = [
    'CONNECT /CSCOSSLC/tunnel HTTP/1.1',
    `Host: ${host}`,
    `User-Agent: ${userAgent}`,
    `Cookie: ${cookie}`,
    'X-CSTP-Version: 1',
    // Gateways show it to their administrators; the computer's name is none of their business.
    'X-CSTP-Hostname: waymaker',
    `X-CSTP-Base-MTU: ${linkMtu}`,
    `X-CSTP-MTU: ${tunnelMtu}`,
    'X-CSTP-Address-Type: IPv6,IPv4',
    'X-CSTP-Full-IPv6-Capability: true',
    ...(wantsDtls ? [`X-DTLS-CipherSuite: ${dtlsCipherSuite}`] : []),
  ];
  if (lines.some((line) => /[^\x20-\x7e]/.test(line))) throw new Error('not the text of a header');
  return `${lines.join('\r\n')}\r\n\r\n`;
}
