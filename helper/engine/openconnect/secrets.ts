import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { SecretFile } from '../../system/ports/engine-host-port.ts';
import { withoutCookie } from '../without-cookie.ts';

/** What an engine gets of a session besides its cookie. Disposed when the engine has started. */
export interface EngineSecrets extends Disposable {
  /** Where it finds them. */
  readonly args: string[];
  /** Inherited as they are in this order, after its pipes. */
  readonly descriptors: number[];
  /** A line of the engine without anything of the session in it. */
  redact(line: string): string;
}

/** Shorter lines of a PEM file are not looked for in what the engine says. */
const minSecretChars = 8;

/** `firstDescriptor`: the number of the first one in the engine. */
export function createEngineSecrets(
  { cookie, clientCertificate }: GatewaySession,
  secretFile: (content: string) => SecretFile,
  firstDescriptor: number,
): EngineSecrets {
  using opened = new DisposableStack();
  const args: string[] = [];
  const descriptors: number[] = [];
  const give = (option: string, content: string) => {
    const file = opened.use(secretFile(content));
    args.push(`${option}=${file.pathIn(firstDescriptor + descriptors.length)}`);
    descriptors.push(file.descriptor);
  };
  if (clientCertificate) {
    give('--certificate', clientCertificate.certificate);
    give('--sslkey', clientCertificate.key);
  }
  const keyLines = clientCertificate?.key.split(/[\r\n]+/).filter(isSecret) ?? [];
  const all = opened.move();
  return {
    args,
    descriptors,
    redact: (line) =>
      keyLines.reduce((text, part) => text.replaceAll(part, '[key]'), withoutCookie(line, cookie)),
    [Symbol.dispose]: () => all.dispose(),
  };
}

const isSecret = (line: string) => line.length >= minSecretChars && !line.startsWith('-----');
