import path from 'node:path';
import { addresses, names, type AddressPair } from '../../tests/lab/network/addresses.ts';
import { startHelperProcess } from '../../tests/lab/runs/helper-process.ts';
import { createLab } from '../../tests/lab/lab.ts';
import { publishPort } from '../../tests/lab/network/publish.ts';
import { endProcess } from '../../tests/lab/runs/process.ts';
import { writeDevelopmentSeed } from './development-seed.ts';
import { countryName, writeLaboratoryRouteLists } from './laboratory-route-lists.ts';
import type { Place } from './place.ts';
import type { Ports } from './ports.ts';
import { sudo } from './root-command.ts';
import { startServiceProcess } from './service-process.ts';

/**
 * Service, gateway and helper in network namespaces: a tunnel can be tried at once, and this machine's own network is
 * not touched.
 */
export async function startInLaboratory(running: AsyncDisposableStack, ports: Ports): Promise<Place> {
  console.log('Building the laboratory: a user machine, an internet and a gateway in network namespaces …');
  const lab = running.use(await createLab());
  await lab.untrustedGateway.start();
  console.log('Starting the service in it …');
  await startServiceProcess(
    running,
    ports,
    {
      WAYMAKER_SERVICE_HOST: addresses.service.ipv4,
      WAYMAKER_PROBE_PAGES: `http://${names.echo}/ http://${names.direct}/`,
      WAYMAKER_ROUTE_LISTS: await writeLaboratoryRouteLists(lab.directory),
      WAYMAKER_SEED_FILE: await writeDevelopmentSeed(lab.directory),
      WAYMAKER_GATEWAY_PASSWORD_FILE: lab.gateway.passwordFile,
      WAYMAKER_TRAFFIC_SPOOL: lab.gateway.trafficSpool,
    },
    (argv) => lab.internet.command(argv).flat(),
  );
  const service = running.use(
    await lab.publish({ host: addresses.service.ipv4, port: ports.service }, ports.service),
  );
  const mailbox = running.use(await lab.publish({ host: '127.0.0.1', port: ports.mailbox }, ports.mailbox));
  const helper = await startHelperProcess(lab.user, path.join(lab.directory, 'helper'));
  running.defer(() => endProcess(helper.process));

  const asked = (before: string, host: string, options = '') => `${before}curl -4s ${options}http://${host}/`;
  const inLab = `${sudo(process.env)}ip netns exec ${lab.user.namespace} `;
  return {
    apiUrl: `http://${names.service}:${ports.service}`,
    consoleUrl: service.url,
    mailboxUrl: mailbox.url,
    env: {
      WAYMAKER_HELPER_SOCKET: helper.socket,
      NODE_EXTRA_CA_CERTS: lab.gateway.authorityFile,
    },
    machine: lab.user,
    async publish(port) {
      running.use(await publishPort(lab.user, lab.directory, { host: '127.0.0.1', port }, port));
    },
    hints: (commandLine) => [
      `See the tunnel  ${asked(inLab, names.echo)}`,
      `                ${asked(inLab, names.direct)}`,
      '                print the address that remote servers see:',
      `                the user's own is ${both(addresses.user)}, the gateway's ${both(addresses.gateway)}.`,
      "Try the modes   Global: both print the gateway's address.",
      `                Automatic: ${names.echo} is on the list. Through the proxy, whose address the app shows under Details,`,
      `                ${asked(inLab, names.echo, '-x http://ADDRESS ')} prints the gateway's, otherwise the user's.`,
      `                By country: ${names.echo} is in ${countryName}. Choose that country, and only the first command`,
      "                prints the gateway's address, or only the second one with All except these.",
      "                By app: choose an app. A program that is started like this prints the gateway's address:",
      `                ${asked(`${commandLine} apps run `, names.echo)}`,
    ],
  };
}

const both = ({ ipv4, ipv6 }: AddressPair) => `${ipv4} or ${ipv6}`;
