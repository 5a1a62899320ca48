import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { askingGateway } from './asking-gateway.ts';

/**
 * Run inside a machine, `node asking-gateway-process.ts ADDRESS PORT CERTIFICATE KEY`: see asking-gateway.ts.
 * Prints each reply to its own form as a line of JSON.
 */
const [address = '', port = '', certificate = '', key = ''] = process.argv.slice(2);

const form = (inputs: string, message: string, error = '') => `<?xml version="1.0" encoding="UTF-8"?>
<config-auth client="vpn" type="auth-request"><version who="sg">0.1(1)</version>
<auth id="main"><message>${message}</message><error>${error}</error>
<form method="post" action="/auth">${inputs}</form></auth></config-auth>`;
const escaped = (plain: string) => plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const { message, code, method } = askingGateway;
const options = method.choices.map((choice) => `<option value="${choice}">${choice}</option>`).join('');
const inputs = `<select name="method" label="${method.label}">${options}</select>
  <input type="password" name="answer" label="${code}"/>`;
const valueIn = (body: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1];

let replies = 0;
const server = https.createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (request, response) => {
    void text(request).then((body) => answer(body, response));
  },
);

function answer(body: string, response: ServerResponse): void {
  const chosen = valueIn(body, 'method');
  if (chosen !== undefined) {
    replies += 1;
    process.stdout.write(`${JSON.stringify({ method: chosen, code: valueIn(body, 'password') })}\n`);
    if (replies > 1) response.writeHead(401).end();
    else response.end(form(inputs, escaped(message), escaped(askingGateway.error)));
  } else if (valueIn(body, 'password') !== undefined) response.end(form(inputs, escaped(message)));
  else if (valueIn(body, 'username') !== undefined) {
    response.end(form('<input type="password" name="password" label="Password:"/>', 'Password?'));
  } else response.end(form('<input type="text" name="username" label="Username:"/>', 'User name?'));
}
server.listen(Number(port), address, () => process.stdout.write('listening\n'));
