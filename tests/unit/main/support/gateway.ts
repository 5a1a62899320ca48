import { STATUS_CODES } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from './test-authority.ts';

export interface GatewayRequest {
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
  /** The connections before the one on which it came. */
  connection: number;
  /** The name in the certificate that the client has presented. */
  client: string | undefined;
}

export interface GatewayAnswer {
  status?: number;
  /** What stands beside the status. */
  reason?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** What is answered byte by byte, in the place of all that. */
  raw?: Buffer;
  /** Never answers. */
  hangs?: boolean;
  /** Ends the connection instead of answering, or after the first bytes of an answer. */
  ends?: boolean | 'in-answer';
}

/** A gateway on loopback that plays a script; what it was asked is kept. */
export interface TestGateway {
  readonly port: number;
  readonly requests: GatewayRequest[];
  /** TLS connections that completed their handshake. */
  connections(): number;
  close(): Promise<void>;
}

export type GatewayScript = (request: GatewayRequest, index: number) => GatewayAnswer;

export async function startTestGateway(
  certificate: TestCertificate,
  script: GatewayScript,
): Promise<TestGateway> {
  const requests: GatewayRequest[] = [];
  let connections = 0;
  const server = https.createServer(
    { cert: certificate.certificate, key: certificate.key, requestCert: true, rejectUnauthorized: false },
    (message, response) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const request = {
          method: message.method ?? '',
          path: message.url ?? '',
          headers: message.headers,
          body: Buffer.concat(chunks).toString(),
          connection: connections - 1,
          client: /^CN=(.*)$/m.exec(
            (message.socket as TLSSocket).getPeerX509Certificate()?.subject ?? '',
          )?.[1],
        };
        requests.push(request);
        const answer = script(request, requests.length - 1);
        if (answer.hangs) return;
        if (answer.raw) {
          message.socket.write(answer.raw);
          return;
        }
        if (answer.ends === 'in-answer') {
          message.socket.end('HTTP/1.1 200 O');
          return;
        }
        if (answer.ends) {
          message.socket.destroy();
          return;
        }
        const { status = 200, reason = STATUS_CODES[status] } = answer;
        response.writeHead(status, reason, answer.headers);
        response.end(answer.body);
      });
    },
  );
  server.on('secureConnection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A config-auth message with one form. */
export function formXml(
  inputs: string,
  options: { message?: string; action?: string; extra?: string } = {},
): string {
  const { message = '', action = '/auth', extra = '' } = options;
  return `<?xml version="1.0" encoding="UTF-8"?>
<config-auth client="vpn" type="auth-request"><version who="sg">0.1(1)</version>${extra}
<auth id="main"><message>${message}</message><form method="post" action="${action}">${inputs}</form></auth></config-auth>`;
}

export const usernameInput = '<input type="text" name="username" label="Username:"/>';
export const passwordInput = '<input type="password" name="password" label="Password:"/>';

export const completeXml =
  '<config-auth client="vpn" type="complete"><auth id="success"><title>VPN</title></auth></config-auth>';

/** The answer that ends a sign-in. */
export const completed: GatewayAnswer = {
  headers: { 'Set-Cookie': ['webvpncontext=ctx; Secure', 'webvpn=c00kie+/=; Secure; HttpOnly'] },
  body: completeXml,
};
