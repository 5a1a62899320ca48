import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { choosingGateway } from './choosing-gateway.ts';

/**
 * Run inside a machine, `node choosing-gateway-process.ts ADDRESS PORT CERTIFICATE KEY`: see choosing-gateway.ts.
 * Prints each sign-in that it accepts as a line of JSON.
 */
const [address = '', port = '', certificate = '', key = ''] = process.argv.slice(2);
const { groups, banner } = choosingGateway;

const message = (inside: string) =>
  `<config-auth client="vpn" type="auth-request"><version who="sg">0.1(1)</version><auth id="main">${inside}</auth></config-auth>`;
const form = (inputs: string, before = '') =>
  message(`<message>Please sign in</message>${before}<form method="post" action="/auth">${inputs}</form>`);

const options = Object.entries(groups).map(([value, label]) => `<option value="${value}">${label}</option>`);
const groupList = `<select name="group_list" label="GROUP:">${options.join('')}</select>`;
const credentials =
  '<input type="text" name="username" label="Username:"/><input type="password" name="password" label="Password:"/>';
const login = `https://gw.waymaker.test:${port}/login`;
const browser = `<sso-v2-login>${login}</sso-v2-login><sso-v2-login-final>${login}/end</sso-v2-login-final>
  <sso-v2-token-cookie-name>token</sso-v2-token-cookie-name>`;

function answer(body: string, client: string | undefined, response: ServerResponse): void {
  const group = /<group-select>(\w+)</.exec(body)?.[1];
  if (group === 'certified' && client === undefined) response.writeHead(401, 'No certificate').end();
  else if (group === 'browser')
    response.end(form(`${groupList}<input type="sso" name="sso-token"/>`, browser));
  else if (body.includes('<password>')) {
    process.stdout.write(`${JSON.stringify({ group, client })}\n`);
    response.setHeader('Set-Cookie', 'webvpn=cookie');
    response.end(
      `<config-auth type="complete"><auth id="success"><banner>${banner}</banner></auth></config-auth>`,
    );
  } else response.end(form(groupList + credentials));
}

const server = https.createServer(
  { cert: readFileSync(certificate), key: readFileSync(key), requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerX509Certificate() ?? {};
    void text(request).then((body) => answer(body, subject, response));
  },
);
server.listen(Number(port), address, () => process.stdout.write('listening\n'));
