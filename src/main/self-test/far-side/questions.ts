import * as z from 'zod/mini';

/** Ports of the computer that serves; the gateway's and the neighbour's are also those of UDP. */
export const servedPorts = { ask: 44_350, gateway: 44_351, service: 44_352, neighbour: 44_353 } as const;

const address = z.string().check(z.maxLength(64));

/** What the computer under test asks the one that serves. */
const question = z.discriminatedUnion('ask', [
  /** Everything anew, with other secrets. */
  z.object({ ask: z.literal('begin') }),
  z.object({ ask: z.literal('counts') }),
  z.object({
    ask: z.literal('heard'),
    place: z.enum(['outside', 'inside']),
    token: z.string().check(z.maxLength(64)),
  }),
  /** From `afterMs` on, the gateway is away for `forMs`. */
  z.object({
    ask: z.literal('away'),
    afterMs: z.int().check(z.gte(0), z.lte(5_000)),
    forMs: z.int().check(z.gte(0), z.lte(10_000)),
  }),
  /** Who has these addresses? `hardware`: of the computer that asks, as hexadecimal digits. */
  z.object({
    ask: z.literal('neighbour'),
    hardware: z.string().check(z.regex(/^[0-9a-f]{12}$/)),
    ipv4: address,
    ipv6: address,
  }),
  z.object({ ask: z.literal('end') }),
]);
export type Question = z.infer<typeof question>;

/** With a number, so that one that comes again is the same. */
export const numberedQuestion = z.object({ id: z.string().check(z.maxLength(32)), question });

const answers = {
  begin: z.object({
    version: z.string(),
    email: z.string(),
    code: z.string(),
    /** The certificate of the gateway and of the service, which is its own authority, as PEM. */
    authority: z.string(),
    /** Another of its addresses on the same network, of those that count as local; null if it has none. */
    neighbour: z.nullable(z.string()),
    /** Whether it can send and see whole frames, as a neighbour that attacks does. */
    canAskAsNeighbour: z.boolean(),
  }),
  counts: z.object({
    signIns: z.int(),
    tunnels: z.int(),
    packets: z.object({ tls: z.int(), dtls: z.int() }),
  }),
  heard: z.object({ texts: z.array(z.string()) }),
  away: z.object({}),
  neighbour: z.object({ tried: z.array(z.string()), answered: z.array(z.string()) }),
  end: z.object({}),
} as const;

export type Answer<Ask extends Question['ask']> = z.infer<(typeof answers)[Ask]>;

/** Throws if it is none. */
export const readAnswer = <Ask extends Question['ask']>(ask: Ask, given: unknown): Answer<Ask> =>
  z.parse(answers[ask], given) as Answer<Ask>;
