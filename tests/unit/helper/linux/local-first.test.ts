import { expect, test } from 'vitest';
import { isLocalFirst, readRules } from '../../../../helper/linux/netlink/netlink-state.ts';
import { attribute, uint32, zeroTerminated } from '../../../../helper/linux/netlink/netlink-message.ts';
import { routeProtocol } from '../../../../helper/linux/identifiers.ts';

/** <linux/rtnetlink.h> and <linux/fib_rules.h>. */
const RTM_NEWRULE = 32;
const table = { local: 255, main: 254, vrf: 0 };
const attributes = { interface: 3, priority: 6, mark: 10, table: 15, master: 19, protocol: 21 };

interface Rule {
  table: keyof typeof table;
  priority: number;
  /** Of its source. */
  length?: number;
  interface?: string;
  mark?: number;
  isOurs?: boolean;
  isInverted?: boolean;
}

/** As the kernel lists it; a priority of 0 is not written (net/core/fib_rules.c, fib_nl_fill_rule). */
function listed(rule: Rule) {
  const header = Buffer.alloc(12);
  header[0] = 2;
  header[2] = rule.length ?? 0;
  header[4] = table[rule.table];
  header[7] = 1;
  header.writeUInt32LE(rule.isInverted ? 2 : 0, 8);
  const parts = [
    attribute(attributes.table, uint32(table[rule.table])),
    ...(rule.priority === 0 ? [] : [attribute(attributes.priority, uint32(rule.priority))]),
    ...(rule.interface === undefined
      ? []
      : [attribute(attributes.interface, zeroTerminated(rule.interface))]),
    ...(rule.mark === undefined ? [] : [attribute(attributes.mark, uint32(rule.mark))]),
    ...(rule.table === 'vrf' ? [attribute(attributes.master, Buffer.from([1]))] : []),
    attribute(attributes.protocol, Buffer.from([rule.isOurs ? routeProtocol : 2])),
  ];
  return { type: RTM_NEWRULE, payload: Buffer.concat([header, ...parts]) };
}

const main: Rule = { table: 'main', priority: 32766 };

test('what is on this machine itself is found first, as every machine has it', () => {
  expect(isLocalFirst([{ table: 'local', priority: 0 } as const, main].map(listed))).toBe(true);
  expect(isLocalFirst([{ table: 'local', priority: 5168 } as const, main].map(listed))).toBe(true);
});

test('where the rule for it was moved behind those of VRFs, it comes after ours', () => {
  // As the kernel's documentation of VRFs has it (Documentation/networking/vrf.rst).
  const moved: Rule[] = [{ table: 'vrf', priority: 1000 }, { table: 'local', priority: 32765 }, main];
  expect(isLocalFirst(moved.map(listed))).toBe(false);
  expect(
    isLocalFirst([...moved, { table: 'local', priority: 5169, isOurs: true } as const].map(listed)),
  ).toBe(false);
});

test('a rule for some packets only does not count', () => {
  const one: Rule = { table: 'local', priority: 100 };
  expect(isLocalFirst([one, main].map(listed)), 'positive control').toBe(true);
  const some: readonly Partial<Rule>[] = [
    { interface: 'eth0' },
    { mark: 1 },
    { length: 32 },
    { isInverted: true },
  ];
  for (const only of some) expect(isLocalFirst([listed({ ...one, ...only }), listed(main)])).toBe(false);
});

test.runIf(process.platform === 'linux')('the kernel’s own list is understood', async () => {
  const { ours, isLocalFirst: isFirst } = await readRules(4);
  expect(isFirst).toBe(true);
  expect(ours).toEqual([]);
});
