import { randomUUID } from 'node:crypto';
import { apiPath, type ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import type { TestService } from '../test-service.ts';
import type { Person } from './people.ts';
import { rules } from './rules.ts';

/** Basic authorisation by a device and a token. */
export const basic = (deviceId: string, token: string) => `Basic ${btoa(`${deviceId}:${token}`)}`;

/** Asks a service for what is `of` somebody, by each call as its rule says. */
export async function askFor(
  { service }: Pick<TestService, 'service'>,
  name: ApiCallName,
  of: Person,
  authorization?: string,
) {
  const call: ApiCall = apiCalls[name];
  const { params, body } = rules[name].asked(of);
  const sender = call.sendsDevice ? { deviceId: randomUUID(), deviceName: 'A device' } : {};
  const reply = await service.http.inject({
    method: call.method,
    url: apiPath(call, params),
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    ...(call.method !== 'GET' && { payload: { ...body, ...sender } }),
  });
  return {
    status: reply.statusCode,
    headers: reply.headers,
    data: reply.json<{ data: unknown }>().data,
    text: reply.body,
  };
}
