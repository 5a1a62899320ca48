import type * as z from 'zod/mini';

/** One request that a page can send to the app around it, as data, independent of the transport. */
export interface HostRequest<
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly direction: 'request';
  readonly input: Input;
  readonly output: Output;
}

/** One event that the app sends to its pages. */
export interface HostEvent<Payload extends z.ZodMiniType = z.ZodMiniType> {
  readonly direction: 'event';
  readonly payload: Payload;
}

export type HostContractShape = Record<string, Record<string, HostRequest | HostEvent>>;

export function request<Input extends z.ZodMiniType, Output extends z.ZodMiniType>(
  input: Input,
  output: Output,
): HostRequest<Input, Output> {
  return { direction: 'request', input, output };
}

export function event<Payload extends z.ZodMiniType>(payload: Payload): HostEvent<Payload> {
  return { direction: 'event', payload };
}

type Arguments<Input extends z.ZodMiniType> = z.input<Input> extends undefined ? [] : [input: z.input<Input>];

/** The interface for pages: `host.tunnel.connect({...})`, `host.tunnel.stateChanged(listener)`. */
export type HostClient<Contract extends HostContractShape> = {
  [Group in keyof Contract]: {
    [Name in keyof Contract[Group]]: Contract[Group][Name] extends HostRequest<infer Input, infer Output>
      ? (...input: Arguments<Input>) => Promise<z.output<Output>>
      : Contract[Group][Name] extends HostEvent<infer Payload>
        ? (listener: (payload: z.output<Payload>) => void) => () => void
        : never;
  };
};

/** What an app implements: one handler for each request. */
export type HostHandlers<Contract extends HostContractShape> = {
  [Group in keyof Contract as RequestNames<Contract[Group]> extends never ? never : Group]: {
    [Name in RequestNames<Contract[Group]>]: Contract[Group][Name] extends HostRequest<
      infer Input,
      infer Output
    >
      ? (input: z.output<Input>) => Promise<z.input<Output>> | z.input<Output>
      : never;
  };
};

type RequestNames<Group> = {
  [Name in keyof Group]: Group[Name] extends HostRequest ? Name : never;
}[keyof Group];

/** `group.name` of every event, with its payload. */
export type HostEvents<Contract extends HostContractShape> = {
  [Group in keyof Contract & string as never]: never;
} & UnionToIntersection<
  {
    [Group in keyof Contract & string]: {
      [
        Name in keyof Contract[Group] & string as Contract[Group][Name] extends HostEvent
          ? `${Group}.${Name}`
          : never
      ]: Contract[Group][Name] extends HostEvent<infer Payload> ? z.input<Payload> : never;
    };
  }[keyof Contract & string]
>;

type UnionToIntersection<Union> = (Union extends unknown ? (union: Union) => void : never) extends (
  intersection: infer Intersection,
) => void
  ? Intersection
  : never;
