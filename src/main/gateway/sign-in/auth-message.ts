import { agentVersion, type GatewayAgent } from '#shared/gateway-user-agent.ts';
import type { AuthForm } from './auth-form.ts';
import { element, writeXml, type XmlElement } from '#node/anyconnect/xml.ts';

/** Describes this client; sent with every message. */
export interface GatewayClient {
  agent: GatewayAgent;
  /** This system, unless a test has another. */
  platform?: NodeJS.Platform;
}

/**
 * The first message, which requests a form: that of `group`, if the gateway has several. `address` is the gateway's
 * URL. `hasNoCertificate`: says so, after the gateway has asked for a client certificate.
 */
export function initMessage(
  client: GatewayClient,
  address: string,
  group: string | undefined,
  hasNoCertificate = false,
): string {
  return configAuth(client, 'init', [
    element('group-access', {}, [address]),
    ...(hasNoCertificate ? [element('client-cert-fail', {})] : []),
    ...(group === undefined ? [] : [element('group-select', {}, [group])]),
  ]);
}

/** The reply to a form: one value for each field, by name. */
export function replyMessage(
  client: GatewayClient,
  form: AuthForm,
  answers: ReadonlyMap<string, string>,
): string {
  const group = answers.get('group_list');
  const inputs = [...answers]
    .filter(([name]) => name !== 'group_list' && name !== 'verify_pin' && name !== 'verify_password')
    .map(([name, value]) => element(replyName(name), {}, [value]));
  return configAuth(client, 'auth-reply', [
    ...(form.opaque ? [form.opaque] : []),
    element('auth', {}, inputs),
    ...(group === undefined ? [] : [element('group-select', {}, [group])]),
  ]);
}

/**
 * Answers to challenges, and new passwords, are sent as a password (openconnect's auth.c, xmlpost_append_form_opts).
 */
function replyName(name: string): string {
  return ['answer', 'whichpin', 'new_password'].includes(name) ? 'password' : name;
}

function configAuth({ agent, platform }: GatewayClient, type: string, children: XmlElement[]): string {
  return writeXml(
    element('config-auth', { client: 'vpn', type, 'aggregate-auth-version': '2' }, [
      element('version', { who: 'vpn' }, [agentVersion(agent)]),
      element('device-id', {}, [deviceId(platform)]),
      element('capabilities', {}, [element('auth-method', {}, ['single-sign-on-v2'])]),
      ...children,
    ]),
  );
}

/** AnyConnect's name for this kind of machine; gateways may choose policies by it. */
function deviceId(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'mac-intel';
  return platform === 'win32' ? 'win' : 'linux-64';
}
