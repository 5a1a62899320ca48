import type { ApiClient } from '../api/client.ts';
import { apiCalls, apiPathSets } from '../api/calls.ts';
import type { PageCallName } from './common-contract.ts';
import type { HostImplementation } from './contract.ts';
import { HostRequestRefused } from './server.ts';

type Call = HostImplementation['api']['call'];

/**
 * The host contract's `api` group: a page names a call, and this adds device and token. `ready`: it is known who is
 * signed in.
 */
export function createPageCalls(
  client: ApiClient,
  ready?: () => Promise<unknown>,
): HostImplementation['api'] {
  const call: Call = async ({ name, params = {}, body, language }) => {
    const parsed = apiCalls[name].body.safeParse(body);
    if (!parsed.success) throw new HostRequestRefused(`${name}: ${parsed.error.message}`);
    checkParameters(name, params);
    await ready?.();
    const send = client as { call(name: PageCallName, input: object): ReturnType<Call> };
    return await send.call(name, { params, body: parsed.data, ...(language && { language }) });
  };
  return { call };
}

function checkParameters(name: PageCallName, params: Record<string, string>): void {
  const wanted = [...apiCalls[name].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const sets: Record<string, { safeParse(value: string): { success: boolean } }> = apiPathSets;
  for (const parameter of wanted) {
    const value = Object.hasOwn(params, parameter) ? params[parameter] : undefined;
    // URLs drop the segments `.` and `..`, encoded or not, which would turn this into another call (WHATWG URL §4.4).
    if (!value || value === '.' || value === '..' || sets[parameter]?.safeParse(value).success === false) {
      throw new HostRequestRefused(`${name}: bad parameter ${parameter}`);
    }
  }
}
