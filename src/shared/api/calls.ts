import { z } from 'zod';
import { authCodeLength, cacheSeconds } from '../constants.ts';
import {
  basicInfo,
  language,
  pageNote,
  pageNoteIds,
  serverGroup,
  service,
  trafficStats,
  translations,
  user,
} from '../entities.ts';
import type { ApiCall } from './call.ts';

const none = z.undefined();

interface CallOptions {
  auth?: false;
  sendsDevice?: true;
  unauthorized?: 'report';
  cacheSeconds?: number;
}

function call<
  Path extends string,
  Body extends z.ZodType,
  Data extends z.ZodType,
  Options extends CallOptions,
>(
  method: ApiCall['method'],
  path: Path,
  schemas: { body: Body; data: Data },
  options?: Options,
): ApiCall<
  Path,
  Body,
  Data,
  Options extends { auth: false } ? false : true,
  Options extends { sendsDevice: true } ? true : false
> {
  return {
    method,
    path,
    // What an omitted option means, once for the value and once, above, for its type.
    auth: (options?.auth ?? true) as Options extends { auth: false } ? false : true,
    sendsDevice: (options?.sendsDevice ?? false) as Options extends { sendsDevice: true } ? true : false,
    unauthorized: options?.unauthorized ?? 'end-session',
    cacheSeconds: options?.cacheSeconds ?? 0,
    ...schemas,
  };
}

const items = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

/** The API contract: every call of specification §7, and those that design §5 adds. */
export const apiCalls = {
  translations: call(
    'GET',
    '/api/translations/waymaker/{lang}',
    { body: none, data: translations },
    { auth: false, cacheSeconds: cacheSeconds.translations },
  ),
  basicInfo: call(
    'GET',
    '/api/basic-info',
    { body: none, data: basicInfo },
    { auth: false, cacheSeconds: cacheSeconds.basicInfo },
  ),
  pageNotes: call(
    'GET',
    '/api/page-notes/{pageName}',
    { body: none, data: items(pageNote) },
    { auth: false },
  ),
  getAuthCode: call(
    'POST',
    '/api/get-auth-code',
    { body: z.object({ email: z.string() }), data: z.object({ authId: z.string() }) },
    { auth: false, sendsDevice: true },
  ),
  auth: call(
    'POST',
    '/api/auth',
    {
      body: z.object({
        authId: z.string(),
        authCode: z.string().length(authCodeLength),
        isDevice: z.boolean(),
      }),
      data: z.object({ token: z.string().min(1) }),
    },
    { auth: false, sendsDevice: true },
  ),
  userInfo: call(
    'GET',
    '/api/user-info',
    { body: none, data: user },
    { unauthorized: 'report', cacheSeconds: cacheSeconds.user },
  ),
  myService: call(
    'GET',
    '/api/my-service',
    { body: none, data: service },
    { cacheSeconds: cacheSeconds.service },
  ),
  serverGroups: call('GET', '/api/server-groups', { body: none, data: items(serverGroup) }),
  trafficStats: call('GET', '/api/traffic-stats', { body: none, data: trafficStats }),
} as const satisfies Record<string, ApiCall>;

export type ApiCalls = typeof apiCalls;
export type ApiCallName = keyof ApiCalls;
export type ApiData<Name extends ApiCallName> = z.output<ApiCalls[Name]['data']>;
export type ApiBody<Name extends ApiCallName> = z.input<ApiCalls[Name]['body']>;

/** Values of the path parameters that are closed sets. */
export const apiPathSets = { lang: language, pageName: z.enum(pageNoteIds) } as const;
