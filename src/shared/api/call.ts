import type * as z from 'zod/mini';

/** An API call of the service as data. The client, the service's routes and the tests are built from it. */
export interface ApiCall<
  Path extends string = string,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Data extends z.ZodMiniType = z.ZodMiniType,
  Auth extends boolean = boolean,
  SendsDevice extends boolean = boolean,
  Paged extends boolean = boolean,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path template; `{name}` stands for one percent-encoded segment. */
  readonly path: Path;
  /** Whether the service answers 401 without a signed-in device. */
  readonly auth: Auth;
  /**
   * What a 401 does: end the session, or only report it to the caller, who may have a cached answer (specification §8).
   */
  readonly unauthorized: 'end-session' | 'report';
  /** What the caller sends. */
  readonly body: Body;
  /** The reply's `data`. */
  readonly data: Data;
  /** How long an answer may be reused, in seconds; 0 means never. */
  readonly cacheSeconds: number;
  /** Whether the client adds `deviceId` and `deviceName` to the body. */
  readonly sendsDevice: SendsDevice;
  /** Whether the answer is one page of a list. `limit` and `cursor` in the query say which. */
  readonly paged: Paged;
}

/**
 * Query parameters of a list with pages: the maximum number of items (`maxPageItems` by default), and the cursor after
 * which they start.
 */
export type PageParameter = 'limit' | 'cursor';
const pageParameters: readonly PageParameter[] = ['limit', 'cursor'];

export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

export type ApiParameters<Call extends ApiCall> = Record<PathParameter<Call['path']>, string> &
  (Call['paged'] extends true ? Partial<Record<PageParameter, string>> : unknown);

/** The path with its parameters filled in, percent-encoded, followed by the query for a page. */
export function apiPath<Call extends ApiCall>(call: Call, params: ApiParameters<Call>): string {
  const values: Partial<Record<string, string>> = params;
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = pageParameters.flatMap((name) => {
    const value = call.paged ? values[name] : undefined;
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}
