import { readProxyUrl, type ProxySetting } from './proxy-setting.ts';

/** The variables that programs without a desktop use (curl(1), "ENVIRONMENT"); undefined if they name no proxy. */
export function readEnvironmentProxy(env: Readonly<NodeJS.ProcessEnv>): ProxySetting | undefined {
  const value = (name: string) => env[name.toLowerCase()] ?? env[name] ?? '';
  const proxy = readProxyUrl(value('HTTPS_PROXY')) ?? readProxyUrl(value('ALL_PROXY'));
  if (!proxy) return undefined;
  // Some write ports behind names.
  const exceptions = value('NO_PROXY')
    .split(/[\s,]+/)
    .map((one) => one.replace(/^([^:]*|\[.*\]):\d+$/, '$1'))
    .filter(Boolean);
  return { proxy, exceptions };
}
