import { XMLParser } from 'fast-xml-parser';
import { afterEach, beforeAll } from 'vitest';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import type { ClientIdentity } from '../../../../src/main/gateway/client-certificate.ts';
import type { AskUser } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import type { Interactive } from '../../../../src/main/gateway/sign-in/session.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import type { OpenBrowser } from '../../../../src/main/gateway/sign-in/single-sign-on.ts';
import { startTestGateway, type GatewayScript, type TestGateway } from './gateway.ts';
import { createTestLog } from './log.ts';
import { createTestMemory } from './memory.ts';
import { createTestAuthority, pinOf, type TestAuthority, type TestCertificate } from './test-authority.ts';

export const host = 'gw.example.net';
export const credentials = { username: 'device-1', password: 's3cret-t0ken' };

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false });
const read = (xml: string | undefined) => parser.parse(xml ?? '') as Record<string, Record<string, unknown>>;
/** What a client has sent in a message of the protocol. */
export const replyIn = (xml: string | undefined) => read(xml)['config-auth'];

interface SignInOptions {
  interactive?: Interactive;
  openBrowser?: OpenBrowser;
  askUser?: AskUser;
  signal?: AbortSignal;
  identity?: ClientIdentity | undefined;
  getIdentity?: () => Promise<never>;
  connect?: ConnectToGateway;
  isRenewed?: () => Promise<boolean>;
  /** The group that was chosen before. */
  group?: string;
  path?: string;
}

/** A gateway for each sign-in of a file's tests, which ends with its test. */
export function signInForEach() {
  let certificate: TestCertificate;
  let clientAuthority: TestAuthority;
  let gateway: TestGateway | undefined;

  beforeAll(async () => {
    clientAuthority = await createTestAuthority('client authority');
    certificate = await (await createTestAuthority()).issue({ names: [host] });
  });

  async function close(): Promise<void> {
    await gateway?.close();
    gateway = undefined;
  }
  afterEach(close);

  /** Plays `script` to one sign-in and tells what came of it. */
  async function signIn(script: GatewayScript, options: SignInOptions = {}) {
    const { log, text } = createTestLog();
    gateway = await startTestGateway(certificate, script);
    const pin = pinOf(certificate);
    const at = { host, port: gateway.port };
    const memory = createTestMemory();
    const { group } = options;
    if (options.path !== undefined) memory.setPath(at, options.path);
    if (group !== undefined) memory.setGroup(at, { value: group, label: group });
    const signer = createSignIn({
      pins: () => ({ [host]: [pin] }),
      memory,
      identity: options.getIdentity ?? (() => Promise.resolve(options.identity)),
      ...(options.connect && { connect: options.connect }),
      openBrowser: options.openBrowser ?? (() => Promise.resolve({ kind: 'cancelled' })),
      askUser: options.askUser ?? (() => Promise.reject(new Error('nobody to ask'))),
      log,
    });
    const result = await signer({
      gateway: at,
      address: '127.0.0.1',
      credentials,
      interactive: options.interactive ?? false,
      isRenewed: options.isRenewed,
      signal: options.signal ?? new AbortController().signal,
    });
    return { result, log: text(), requests: gateway.requests, connections: gateway.connections(), memory };
  }

  return {
    signIn,
    /** Of the last gateway. */
    port: (): number => gateway?.port ?? 0,
    /** Ends the last gateway, before another sign-in of the same test. */
    close,
    clientAuthority: (): TestAuthority => clientAuthority,
  };
}
