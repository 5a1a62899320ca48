import { isGroupExcepted } from '../../modes/routing-plan.ts';
import type { FilterRules, PacketFilter } from '../../system/ports/packet-filter-port.ts';
import type { ProgramGroups } from './program-groups.ts';
import type { GroupMembers } from './put-back-members.ts';

/** Nothing reports that a group's programs were removed, so they are checked at this interval, in milliseconds. */
const lookMs = 1_000;

/**
 * The packet filter, with what it needs in the kernel to recognise a group's packets: set, watched and undone together.
 */
export function withGroups(filter: PacketFilter, groups: ProgramGroups, members: GroupMembers): PacketFilter {
  let isCaptured = false;

  return {
    ...filter,
    async set(rules, options) {
      const owner = ownerOfGroup(rules);
      // This comes first, because the filter refuses a captured group's look-ups within the machine.
      if (owner !== undefined) groups.capture(owner, rules.groupResolvers);
      await filter.set(rules, options);
      if (owner === undefined && isCaptured) groups.clear();
      isCaptured = owner !== undefined;
    },
    async verify() {
      const verdict = await filter.verify();
      return verdict === 'in-force' && groups.verify() === 'changed' ? 'changed' : verdict;
    },
    async restore() {
      if (groups.verify() === 'changed') groups.restore();
      if ((await filter.verify()) === 'changed') await filter.restore();
    },
    watch(onChange) {
      const stop = filter.watch(onChange);
      const timer = setInterval(() => {
        if (isCaptured && groups.verify() === 'changed') onChange();
        const group = groups.captured();
        if (group) members.look(group);
        else members.forget();
      }, lookMs).unref();
      return () => {
        stop();
        clearInterval(timer);
      };
    },
    async clear() {
      await filter.clear();
      groups.clear();
      isCaptured = false;
    },
  };
}

/** The owner of the group that these rules concern, if any. */
function ownerOfGroup({ captures, owner }: FilterRules): string | undefined {
  const isAboutGroup = captures.some(({ kind }) => kind === 'group') || isGroupExcepted(captures);
  return isAboutGroup ? owner : undefined;
}
