import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  record,
  tuple,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  periodAt,
  periodsOf,
  seatsOf,
  type Grant,
  type LedgerEntry,
  type PlanTerms,
  type Revocation,
} from '#shared/plan/ledger.ts';
import { shortenedDays } from '#shared/plan/shortened-days.ts';

const dayMs = 24 * 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const day = (number: number) => start + number * dayMs;

const small: PlanTerms = { plan: 'Small', seats: 1, serverLevel: 1, devices: 2, traffic: 1e9, rate: 1 };
const large: PlanTerms = { plan: 'Large', seats: 5, serverLevel: null, devices: null, traffic: 0, rate: 5 };

function grant(id: string, terms: PlanTerms, days: number, at: number, members = 0): Grant {
  return { kind: 'grant', id, ...terms, at, durationMs: days * dayMs, members };
}
function revocation(id: string, at: number, share = 1, members = 0): Revocation {
  return { kind: 'revocation', grant: id, at, share, members };
}
/** `[plan, first day, last day]` of each period. */
const shown = (ledger: LedgerEntry[]) =>
  periodsOf(ledger).map(({ terms, from, to }) => [terms.plan, (from - start) / dayMs, (to - start) / dayMs]);

test.each([
  { seats: 5, members: 6, left: 25 },
  { seats: 1, members: 4, left: 7 },
  { seats: 0, members: 2, left: 15 },
  { seats: 5, members: 5, left: undefined },
  { seats: 0, members: 1, left: undefined },
])('$members members of a plan with $seats seats leave as many days of it as is said', (row) => {
  const { seats, members, left } = row;
  expect(shortenedDays({ days: 30, seats }, members)).toBe(left);
  const [period] = periodsOf([grant('few', { ...small, seats }, 30, day(0), members)]);
  expect(Math.floor(((period?.to ?? 0) - start) / dayMs)).toBe(left ?? 30);
});

describe('plans in a row', () => {
  test('a month of a large plan after a year of a small one is not 13 months of the large', () => {
    const ledger = [grant('year', small, 365, day(0)), grant('month', large, 30, day(0))];
    expect(shown(ledger)).toEqual([['Large', 0, 30 + 365 / 5]]);
  });

  test('a renewal is added, and the plan goes on without a break', () => {
    const ledger = [grant('one', small, 30, day(0)), grant('two', small, 30, day(10))];
    expect(shown(ledger)).toEqual([['Small', 0, 60]]);
    expect(periodsOf(ledger)[0]?.grants).toEqual(['one', 'two']);
  });

  test('after a plan has ended the next begins when it is granted', () => {
    const ledger = [grant('one', small, 30, day(0)), grant('two', small, 30, day(40))];
    expect(shown(ledger)).toEqual([
      ['Small', 0, 30],
      ['Small', 40, 70],
    ]);
  });

  test('what is worth more a day holds at once, with what was left converted', () => {
    const ledger = [grant('small', small, 30, day(0)), grant('large', large, 30, day(10))];
    expect(shown(ledger)).toEqual([
      ['Small', 0, 10],
      ['Large', 10, 40 + 20 / 5],
    ]);
  });

  test('what is worth less a day waits, whole, until the better plan has ended', () => {
    const ledger = [grant('large', large, 30, day(0)), grant('small', small, 365, day(20))];
    expect(shown(ledger)).toEqual([
      ['Large', 0, 30],
      ['Small', 30, 395],
    ]);
  });

  test('a renewal of the better plan leaves what waits alone', () => {
    const ledger = [
      grant('large', large, 30, day(0)),
      grant('small', small, 30, day(1)),
      grant('again', large, 30, day(2)),
    ];
    expect(shown(ledger)).toEqual([
      ['Large', 0, 60],
      ['Small', 60, 90],
    ]);
  });
});

describe('refunds and disputes', () => {
  test('a refunded upgrade gives the former plan back', () => {
    const ledger = [
      grant('small', small, 365, day(0)),
      grant('large', large, 30, day(100)),
      revocation('large', day(110)),
    ];
    // Ten days of the large plan were used: fifty of the small one.
    expect(shown(ledger)).toEqual([
      ['Small', 0, 100],
      ['Large', 100, 110],
      ['Small', 110, 110 + 365 - 100 - 50],
    ]);
  });

  test('a refunded renewal shortens the plan by what it had added', () => {
    const ledger = [
      grant('one', small, 30, day(0)),
      grant('two', small, 30, day(0)),
      revocation('two', day(10)),
    ];
    expect(shown(ledger)).toEqual([['Small', 0, 30]]);
  });

  test('half of an order taken back is half of its days, and once only', () => {
    const half = (at: number) => revocation('one', at, 0.5);
    const ledger = [grant('one', small, 30, day(0)), half(day(5)), half(day(6))];
    expect(shown(ledger)).toEqual([['Small', 0, 15]]);
    expect(shown([...ledger, revocation('one', day(7), 1)])).toEqual([['Small', 0, 7]]);
  });

  test('a dispute that was won gives back what was taken, and no more', () => {
    const ledger = [
      grant('one', small, 30, day(0)),
      revocation('one', day(10)),
      revocation('one', day(50), 0),
      revocation('one', day(51), 0),
    ];
    expect(shown(ledger)).toEqual([
      ['Small', 0, 10],
      ['Small', 50, 70],
    ]);
  });

  test('a plan taken back when it begins has ended then', () => {
    const taken = [grant('one', small, 30, day(3)), revocation('one', day(3))];
    expect(shown(taken)).toEqual([['Small', 3, 3]]);
    expect(seatsOf(periodsOf(taken), day(3))).toBe(0);
    expect(shown([...taken, grant('two', small, 30, day(3))])).toEqual([['Small', 3, 33]]);
  });

  test('one that comes before its order leaves nothing of it', () => {
    expect(shown([revocation('one', day(0)), grant('one', small, 30, day(1))])).toEqual([]);
  });

  test('what was used is not taken from another order', () => {
    const ledger = [
      grant('one', small, 30, day(0)),
      grant('two', small, 30, day(40)),
      revocation('one', day(50)),
    ];
    expect(shown(ledger)).toEqual([
      ['Small', 0, 30],
      ['Small', 40, 70],
    ]);
  });
});

describe('seats', () => {
  test('are never below the members, who make a plan with too few of them end sooner', () => {
    const [period] = periodsOf([grant('one', small, 40, day(0), 4)]);
    expect(period).toMatchObject({ terms: { seats: 4 }, from: day(0), to: day(10) });
  });

  test('are no more than a plan that waits has', () => {
    const periods = periodsOf([grant('large', large, 30, day(0)), grant('small', small, 30, day(0))]);
    expect(seatsOf(periods, day(1))).toBe(1);
    expect(periodAt(periods, day(1))?.terms.seats).toBe(5);
  });

  test('there are none without a plan that runs', () => {
    expect(seatsOf([], day(0))).toBe(0);
    expect(seatsOf(periodsOf([grant('one', large, 30, day(0))]), day(30))).toBe(0);
  });
});

const terms = record({
  plan: constantFrom('A', 'B', 'C'),
  seats: integer({ min: 1, max: 9 }),
  serverLevel: constantFrom(null, 1, 2),
  devices: constantFrom(null, 1, 5),
  traffic: constantFrom(0, 1e9),
  rate: integer({ min: 1, max: 1000 }),
});
type Step =
  | { kind: 'grant'; terms: PlanTerms; days: number; members: number; after: number }
  | { kind: 'revocation'; of: number; share: number; members: number; after: number };
const step = oneof(
  record({
    kind: constant('grant' as const),
    terms,
    days: integer({ min: 1, max: 800 }),
    members: integer({ min: 0, max: 12 }),
    after: integer({ min: 0, max: 100 * dayMs }),
  }),
  record({
    kind: constant('revocation' as const),
    of: nat({ max: 5 }),
    share: constantFrom(0, 0.25, 0.5, 1),
    members: integer({ min: 0, max: 12 }),
    after: integer({ min: 0, max: 100 * dayMs }),
  }),
);
function ledgerOf(steps: readonly Step[]): LedgerEntry[] {
  let at = start;
  return steps.map((one, index) => {
    at += one.after;
    if (one.kind === 'revocation') return revocation(`${one.of}`, at, one.share, one.members);
    return grant(`${index}`, one.terms, one.days, at, one.members);
  });
}
const ledgers = array(step, { minLength: 1, maxLength: 8 }).map(ledgerOf);
const isGrant = (entry: LedgerEntry): entry is Grant => entry.kind === 'grant';
/** What a period is worth at its plan's stated rate; seats beyond the plan's cost what its others do. */
function valueOf(ledger: LedgerEntry[]): number {
  return periodsOf(ledger).reduce((sum, { terms: { rate, seats, plan }, from, to, grants }) => {
    const own = ledger
      .filter(isGrant)
      .filter(
        (one) => grants.includes(one.id) && one.plan === plan && one.rate === rate && one.seats <= seats,
      )
      // Of grants that differ in seats alone, it has the terms of the one with as many.
      .toSorted((one, other) => one.seats - other.seats)
      .at(-1);
    return sum + (to - from) * rate * (seats / (own?.seats ?? seats));
  }, 0);
}
const worthOf = (ledger: LedgerEntry[]) =>
  ledger.filter(isGrant).reduce((sum, { durationMs, rate }) => sum + durationMs * rate, 0);
/** A period ends at a millisecond; what is less is lost. */
const roundingOf = (ledger: LedgerEntry[]) => ledger.length * 1000 * 12 * 2;

describe('whatever the order', () => {
  test('what was granted is delivered, neither less nor more', () => {
    const withoutMembers = ledgers.map((ledger) =>
      ledger.filter(isGrant).map((entry) => ({ ...entry, members: 0 })),
    );
    assert(
      property(withoutMembers, (ledger) => {
        expect(Math.abs(valueOf(ledger) - worthOf(ledger))).toBeLessThanOrEqual(roundingOf(ledger));
      }),
    );
  });

  test('periods follow each other, each with a length', () => {
    assert(
      property(ledgers, (ledger) => {
        const periods = periodsOf(ledger);
        for (const [index, { from, to }] of periods.entries()) {
          if (index < periods.length - 1) expect(to).toBeGreaterThan(from);
          expect(to).toBeGreaterThanOrEqual(from);
          expect(from).toBeGreaterThanOrEqual(periods[index - 1]?.to ?? start);
        }
      }),
    );
  });

  test('what has passed does not change by what comes', () => {
    assert(
      property(ledgers, ledgers, (before, after) => {
        const until = before.at(-1)?.at ?? start;
        const later = after.map((entry) => ({ ...entry, at: entry.at + (until - start) }));
        const passed = (ledger: LedgerEntry[]) =>
          periodsOf(ledger)
            .filter(({ from, to }) => from < until && to > from)
            .map(({ terms: plan, from, to }) => ({ plan, from, to: Math.min(to, until) }));
        expect(passed([...before, ...later])).toEqual(passed(before));
      }),
    );
  });

  test('a revocation takes its grant’s value at most, and nothing of any other', () => {
    const cases = tuple(ledgers, nat({ max: 7 }), integer({ min: 0, max: 900 }));
    assert(
      property(cases, ([entries, index, days]) => {
        const ledger = entries.filter(isGrant).map((entry) => ({ ...entry, members: 0 }));
        const target = ledger[index];
        if (!target) return;
        const at = (ledger.at(-1)?.at ?? start) + days * dayMs;
        const after = valueOf([...ledger, revocation(target.id, at)]);
        const lost = valueOf(ledger) - after;
        expect(lost).toBeGreaterThanOrEqual(-roundingOf(ledger));
        expect(lost).toBeLessThanOrEqual(target.durationMs * target.rate + roundingOf(ledger));
      }),
    );
  });

  test('everything revoked at once leaves nothing', () => {
    assert(
      property(ledgers, (entries) => {
        const at = entries.at(-1)?.at ?? start;
        const all = entries.filter(isGrant).map(({ id }) => revocation(id, at));
        expect(periodsOf([...entries, ...all]).every(({ to }) => to <= at)).toBe(true);
      }),
    );
  });

  test('a dispute that is won at once changes nothing', () => {
    assert(
      property(tuple(ledgers, nat({ max: 7 }), integer({ min: 0, max: 900 })), ([entries, index, days]) => {
        const ledger = entries.filter(isGrant).map((entry) => ({ ...entry, members: 0 }));
        const target = ledger[index];
        if (!target) return;
        const at = (ledger.at(-1)?.at ?? start) + days * dayMs;
        const disputed = [...ledger, revocation(target.id, at), revocation(target.id, at, 0)];
        expect(Math.abs(valueOf(disputed) - valueOf(ledger))).toBeLessThanOrEqual(2 * roundingOf(ledger));
      }),
    );
  });

  test('a revocation told twice counts once', () => {
    assert(
      property(ledgers, (ledger) => {
        const twice = ledger.flatMap((entry): LedgerEntry[] =>
          entry.kind === 'grant' ? [entry] : [entry, entry],
        );
        expect(periodsOf(twice)).toEqual(periodsOf(ledger));
      }),
    );
  });

  test('there is a seat for every member who was there', () => {
    assert(
      property(ledgers, (ledger) => {
        for (const [index, entry] of ledger.entries()) {
          if (entry.kind !== 'grant') continue;
          const until = ledger.slice(0, index + 1);
          for (const { terms: plan, grants, from } of periodsOf(until)) {
            if (from >= entry.at && grants.at(-1) === entry.id) {
              expect(plan.seats).toBeGreaterThanOrEqual(entry.members);
            }
          }
        }
      }),
    );
  });
});
