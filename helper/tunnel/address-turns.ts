/** The addresses of a connection's gateway: one is in use, and the others are for when it does not answer there. */
export interface AddressTurns {
  readonly current: string;
  /** All of them, the current one first. */
  all(): readonly string[];
  /** Whether there is one that was not tried since the gateway last answered. */
  isUntriedLeft(): boolean;
  /** How often all of them were tried since then. */
  readonly rounds: number;
  /** Goes on to the next one, and returns it; undefined if there is no other. */
  next(): string | undefined;
  /** The same, and never comes back to the current one: somebody else is there. */
  drop(): string | undefined;
  /** All were tried at once, and none has answered. */
  triedAll(): void;
  /** The gateway has answered at this one, which becomes the current one. */
  answeredAt(address: string): void;
  /** The gateway has answered at the current one. */
  answered(): void;
  /** Replaces all but the current one. True if there is one that was not known before. */
  replace(others: readonly string[]): boolean;
}

export function createAddressTurns(first: string, others: readonly string[] = []): AddressTurns {
  let turns = [...new Set([first, ...others])];
  let tried = new Set<string>();
  let rounds = 0;

  const goOn = (rest: readonly string[], last: readonly string[]) => {
    if (rest.length === 0) return undefined;
    turns = [...rest, ...last];
    if (turns[0] !== undefined && tried.has(turns[0])) {
      tried = new Set();
      rounds += 1;
    }
    return turns[0];
  };
  const current = () => turns[0] ?? first;

  return {
    get current() {
      return current();
    },
    get rounds() {
      return rounds;
    },
    all: () => turns,
    isUntriedLeft: () => turns.slice(1).some((address) => !tried.has(address)),
    next() {
      tried.add(current());
      return goOn(turns.slice(1), [current()]);
    },
    drop: () => goOn(turns.slice(1), []),
    triedAll() {
      tried = new Set(turns);
    },
    answeredAt(address) {
      turns = [address, ...turns.filter((other) => other !== address)];
    },
    answered() {
      tried = new Set();
      rounds = 0;
    },
    replace(next) {
      const isNews = next.some((address) => !turns.includes(address));
      turns = [...new Set([current(), ...next])];
      return isNews;
    },
  };
}
