import { readFileSync } from 'node:fs';
import https from 'node:https';
import { text } from 'node:stream/consumers';

/**
 * Run inside a machine, `node redirecting-gateway-process.ts ADDRESS PORT CERTIFICATE KEY LOCATION`: sends whoever
 * comes to `LOCATION`, and prints what they said.
 */
const [address = '', port = '', certificate = '', key = '', location = ''] = process.argv.slice(2);

const server = https.createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (request, response) => {
    void text(request).then((body) => {
      process.stdout.write(`asked ${JSON.stringify(body)}\n`);
      response.writeHead(302, { Location: location }).end();
    });
  },
);
server.listen(Number(port), address, () => process.stdout.write('listening\n'));
