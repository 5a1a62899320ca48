import { childElements, element, parseXml, textOf, writeXml } from '#node/anyconnect/xml.ts';

/** What a gateway says to a message of the protocol: a document, and whether it is a session's beginning. */
export type SignInReply = { kind: 'form' | 'refused'; xml: string } | { kind: 'signed-in'; xml: string };

export interface Credentials {
  username: string;
  password: string;
}

/**
 * The sign-in with a name and a password, as AnyConnect's gateways have it (draft-mavrogiannopoulos-openconnect-04
 * §2.3): a form is asked for, filled in, and answered with the session's token.
 */
export function answerSignIn(body: string, credentials: Credentials, newToken: () => string): SignInReply {
  const message = parseXml(body);
  const type = message?.name === 'config-auth' ? message.attributes['type'] : undefined;
  if (!message || (type !== 'init' && type !== 'auth-reply')) return { kind: 'refused', xml: form('') };
  if (type === 'init') return { kind: 'form', xml: form('') };
  const [auth] = childElements(message, 'auth');
  const answer = (name: string) => {
    const [found] = auth ? childElements(auth, name) : [];
    return found && textOf(found);
  };
  if (answer('username') !== credentials.username || answer('password') !== credentials.password)
    return { kind: 'form', xml: form('Login failed.') };
  return {
    kind: 'signed-in',
    xml: document('complete', [
      element('session-token', {}, [newToken()]),
      element('auth', { id: 'success' }, [element('message', { id: '0' })]),
    ]),
  };
}

const form = (error: string): string =>
  document('auth-request', [
    element('auth', { id: 'main' }, [
      element('message', {}, ['Please enter your username and password.']),
      ...(error === '' ? [] : [element('error', { id: '91' }, [error])]),
      element('form', { method: 'post', action: '/' }, [
        element('input', { type: 'text', name: 'username', label: 'Username:' }),
        element('input', { type: 'password', name: 'password', label: 'Password:' }),
      ]),
    ]),
  ]);

const document = (type: string, children: Parameters<typeof element>[2]): string =>
  writeXml(element('config-auth', { client: 'vpn', type, 'aggregate-auth-version': '2' }, children));
