import type { SingleSignOn } from './single-sign-on.ts';
import { childElements, textOf, type XmlElement } from '#node/anyconnect/xml.ts';

/** One field of a gateway's form. `name` is also the name of the element in the reply. */
export type AuthField =
  | {
      kind: 'text' | 'password';
      name: string;
      label: string;
      /** Belongs to a second sign-in, which not every group needs. */
      secondAuth?: boolean;
      /** Holds if the user answers nothing. */
      preset?: string;
    }
  | { kind: 'single-sign-on'; name: string; label: string }
  | { kind: 'hidden'; name: string; value: string }
  | { kind: 'select'; name: string; label: string; choices: readonly AuthChoice[]; selected: string };

export interface AuthChoice {
  value: string;
  label: string;
  /** Which fields of the form a group needs: those of the first sign-in, of both, or none, as with a certificate. */
  needs?: 'first' | 'both' | 'nothing';
  /** What a group calls one of the fields. */
  override?: { name: string; label: string } | undefined;
  /** The user name for a group's second sign-in. */
  secondaryUser?: { name: string; editable: boolean } | undefined;
}

export interface AuthForm {
  /** What the form is for, e.g. `main` or `challenge`. */
  id: string | undefined;
  /** Where to send the reply: a path, or an address of the same gateway; empty: where the form came from. */
  action: string;
  /** A text to read before signing in. */
  banner: string | undefined;
  message: string | undefined;
  error: string | undefined;
  fields: AuthField[];
  singleSignOn: SingleSignOn | undefined;
  /** Sent back unchanged with the reply. */
  opaque: XmlElement | undefined;
}

/** What a gateway demands and this client does not have. */
export type UnsupportedDemand = 'host-scan-required' | 'several-certificates-required';

/** A gateway's answer to a `config-auth` message. */
export type AuthReply =
  | { kind: 'form'; form: AuthForm }
  | { kind: 'complete'; sessionToken: string | undefined; banner: string | undefined }
  /** `message`: the gateway's own words. */
  | { kind: 'refused'; message: string | undefined }
  | { kind: 'unsupported'; demand: UnsupportedDemand; message: string | undefined }
  /** The gateway wants a client certificate, or to hear that there is none. */
  | { kind: 'certificate-wanted' }
  | { kind: 'unreadable' };

/** Valid field names; they become element names. Other fields are left out, as there is no way to answer them. */
const fieldName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,127}$/u;
const maxFields = 32;

/** Parses a gateway's message (draft-mavrogiannopoulos-openconnect-04 §2.3, and what openconnect 9 accepts). */
export function readAuthReply(root: XmlElement | undefined): AuthReply {
  if (!root) return { kind: 'unreadable' };
  // Older gateways send only the auth element.
  const parts = root.name === 'config-auth' ? childElements(root) : [root];
  const part = (name: string) => parts.find((child) => child.name === name);
  const auth = part('auth');
  const inner = (name: string) => auth && childElements(auth, name)[0];
  const errors = [inner('error'), part('error')];
  const error = messageIn(errors[0]) ?? messageIn(errors[1]);
  const unsupported = (demand: UnsupportedDemand) =>
    ({ kind: 'unsupported', demand, message: error }) as const;
  if (errors.some(isMissingHostScan)) return unsupported('host-scan-required');
  if (root.attributes['type'] === 'complete' || auth?.attributes['id'] === 'success') {
    const sessionToken = part('session-token');
    if (error !== undefined) return { kind: 'refused', message: error };
    return {
      kind: 'complete',
      sessionToken: sessionToken && textOf(sessionToken),
      banner: messageIn(inner('banner')),
    };
  }
  if ([part('host-scan'), ...(auth ? childElements(auth) : [])].some(isHostScan)) {
    return unsupported('host-scan-required');
  }
  if (part('multiple-client-cert-request')) return unsupported('several-certificates-required');
  if (part('client-cert-request') && !part('cert-authenticated')) return { kind: 'certificate-wanted' };
  if (!auth) return error === undefined ? { kind: 'unreadable' } : { kind: 'refused', message: error };
  return readForm(auth, error, part('opaque'));
}

/** The error of gateways that miss the host scan: "Cisco Secure Desktop not installed on the client". */
const isMissingHostScan = (error: XmlElement | undefined) => error?.attributes['id'] === '13';

/**
 * Whether this says where to get a program that inspects the machine (openconnect's auth.c, parse_auth_node and
 * parse_host_scan_node).
 */
function isHostScan(node: XmlElement | undefined): boolean {
  if (!node) return false;
  if (node.name === 'host-scan') return textOf(node) !== '';
  return (
    /^csd(?:Linux|Mac)?$/.test(node.name) && Object.values(node.attributes).some((value) => value !== '')
  );
}

function readForm(auth: XmlElement, error: string | undefined, opaque: XmlElement | undefined): AuthReply {
  const inner = (name: string) => messageIn(childElements(auth, name)[0]);
  const message = inner('message');
  const form = childElements(auth, 'form')[0];
  const elements = form ? childElements(form) : [];
  const read = elements.flatMap(readField);
  const fields = read.filter(({ name }) => fieldName.test(name)).slice(0, maxFields);
  if (fields.length === 0) {
    if (read.length > 0) return { kind: 'unreadable' };
    // Another way of signing in has ended; the gateway waits for an empty reply.
    const isComplete = childElements(auth, 'authentication-complete').length > 0;
    if (!isComplete) return { kind: 'refused', message: error ?? message };
  }
  if ((form?.attributes['method'] ?? 'post').toLowerCase() !== 'post') return { kind: 'unreadable' };
  return {
    kind: 'form',
    form: {
      id: auth.attributes['id'],
      action: form?.attributes['action'] ?? '',
      banner: inner('banner'),
      message,
      error,
      fields,
      singleSignOn: readSingleSignOn(inner),
      opaque,
    },
  };
}

function readField(field: XmlElement): AuthField[] {
  const { type, name = '', label = `${name}:`, value = '' } = field.attributes;
  if (field.name === 'select') {
    const options = childElements(field, 'option');
    const choices = options.map(readChoice);
    const chosen = options.findIndex((option) => isSet(option, 'selected', 'true'));
    const selected = choices[Math.max(chosen, 0)]?.value;
    return selected === undefined ? [] : [{ kind: 'select', name, label, choices, selected }];
  }
  if (field.name !== 'input') return [];
  switch (type) {
    case 'text':
    case 'password':
      return [{ kind: type, name, label, secondAuth: isSet(field, 'second-auth', '1') }];
    case 'sso':
      return [{ kind: 'single-sign-on', name, label }];
    case 'hidden':
      return [{ kind: 'hidden', name, value }];
    case undefined:
    default:
      // Buttons (submit, reset) and unknown kinds are not part of a reply.
      return [];
  }
}

function readChoice(option: XmlElement): AuthChoice {
  const { attributes } = option;
  const overridden = attributes['override-name'];
  const overrideLabel = attributes['override-label'];
  const user = attributes['secondary_username'];
  const needsSecond = isSet(option, 'second-auth', '1') ? 'both' : 'first';
  return {
    value: attributes['value'] ?? textOf(option),
    label: textOf(option),
    needs: isSet(option, 'noaaa', '1') ? 'nothing' : needsSecond,
    override: overridden && overrideLabel ? { name: overridden, label: overrideLabel } : undefined,
    secondaryUser: user
      ? { name: user, editable: isSet(option, 'secondary_username_editable', 'true') }
      : undefined,
  };
}

const isSet = ({ attributes }: XmlElement, name: string, value: string) =>
  attributes[name]?.toLowerCase() === value;

function readSingleSignOn(inner: (name: string) => string | undefined): SingleSignOn | undefined {
  const loginUrl = inner('sso-v2-login');
  const finalUrl = inner('sso-v2-login-final');
  const tokenCookie = inner('sso-v2-token-cookie-name');
  if (!loginUrl || !finalUrl || !tokenCookie) return undefined;
  if (![loginUrl, finalUrl].every((url) => URL.parse(url)?.protocol === 'https:')) return undefined;
  return { loginUrl, finalUrl, tokenCookie, errorCookie: inner('sso-v2-error-cookie-name') };
}

/** A message with its parameters inserted for `%s`, as AnyConnect gateways send them. */
function messageIn(node: XmlElement | undefined): string | undefined {
  if (!node) return undefined;
  const parameters = [node.attributes['param1'], node.attributes['param2']];
  const text = textOf(node).replace(/%s/g, (placeholder) => parameters.shift() ?? placeholder);
  return text === '' ? undefined : text;
}
