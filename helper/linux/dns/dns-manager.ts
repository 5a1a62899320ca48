import { settleAll } from '../../settle-all.ts';
import type { Dns, DnsPort } from '../../system/ports/dns-port.ts';
import { linuxDnsUndo, type LinuxDnsUndo } from './dns-undo-schema.ts';
import { findDnsManagers, type DnsManager } from './find-dns-managers.ts';
import type { RunCommand } from '../../posix/command.ts';
import {
  isResolvConfSet,
  isStillRemembered,
  leftOverResolvConf,
  originalServersOf,
  rememberResolvConf,
  resolveLinks,
  restoreResolvConf,
  untilResolvConfIsNotEmpty,
  untilResolvConfIsWritten,
  writeResolvConf,
} from './resolv-conf.ts';
import {
  clearResolvconf,
  hasResolvconfRecord,
  isResolvconfSet,
  otherServersOfResolvconf,
  resolvconfFiles,
  resolvconfRecord,
  setResolvconf,
} from './resolvconf.ts';
import {
  clearResolved,
  isResolvedSet,
  otherServersOfResolved,
  resolvedDirectory,
  rivalServersOfResolved,
  setResolved,
} from './systemd-resolved.ts';
import { watchFiles } from './watch-files.ts';

const resolvConf = '/etc/resolv.conf';

/** One manager, with its undo step. */
interface Managed {
  manager: DnsManager;
  step: LinuxDnsUndo | undefined;
  /** Whether the step still describes the current state. */
  isRemembered(): Promise<boolean>;
  /** The resolvers that it asks, without ours. */
  originalServers(): Promise<string[]>;
  /** Those of them that it asks besides ours, once ours are set. */
  rivalServers(): Promise<string[]>;
  set(dns: Dns): Promise<void>;
  isSet(dns: Dns): Promise<boolean>;
  /** Restores the remembered state. */
  clear(): Promise<void>;
  /** The same, if it may not be running. */
  leave(): Promise<void>;
}

export function createLinuxDns(run: RunCommand): DnsPort {
  let managed: Managed[] = [];
  let wanted: Dns | undefined;
  const current = () => managed.map(({ manager }) => manager);
  /** At most one manager has a step. */
  const stepOf = () => managed.find(({ step }) => step !== undefined)?.step;
  const rememberAll = (managers: readonly DnsManager[]) =>
    Promise.all(managers.map((manager) => remember(run, manager)));

  return {
    undoSchema: linuxDnsUndo,
    undo: async (how) => undoDns(run, linuxDnsUndo.parse(how)),
    async leftOver(known) {
      const hasRecord = await hasResolvconfRecord(resolvconfRecord);
      const record = { kind: 'resolvconf-record', record: resolvconfRecord } as const;
      const file = await leftOverResolvConf(resolvConf);
      const found: LinuxDnsUndo[] = [...(hasRecord ? [record] : []), ...(file ? [file] : [])];
      const kinds = known.map(({ kind }) => kind);
      return found.filter(({ kind }) => !kinds.includes(kind));
    },
    async prepare() {
      await untilResolvConfIsNotEmpty(resolvConf);
      managed = await rememberAll(await findDnsManagers(resolvConf));
      wanted = undefined;
      return stepOf();
    },
    async prepareAgain() {
      await untilResolvConfIsWritten(resolvConf);
      const found = await findDnsManagers(resolvConf, current());
      const kept: Managed[] = [];
      for (const one of managed) {
        if (found.includes(one.manager) && (await one.isRemembered())) kept.push(one);
        // Nothing of ours stays where look-ups no longer happen.
        else await one.leave();
      }
      const missing = found.filter((manager) => !kept.some((one) => one.manager === manager));
      managed = [...kept, ...(await rememberAll(missing))];
      return stepOf();
    },
    isSettable: () => !current().includes('fixed-file'),
    async originalServers() {
      return (await Promise.all(managed.map((one) => one.originalServers()))).flat();
    },
    async rivalServers() {
      return [...new Set((await Promise.all(managed.map((one) => one.rivalServers()))).flat())].sort();
    },
    async set(dns) {
      wanted = dns;
      await settleAll(managed.map((one) => one.set(dns)));
    },
    async verify() {
      const dns = wanted;
      if (!dns) return 'in-force';
      const found = await findDnsManagers(resolvConf, current());
      if (found.join() !== current().join()) return 'changed';
      const isSet = await Promise.all(managed.map((one) => one.isSet(dns)));
      return isSet.includes(false) ? 'changed' : 'in-force';
    },
    watch: (onChange) => watchFiles([resolvConf, resolvedDirectory, ...resolvconfFiles], onChange),
    async clear() {
      for (const one of managed) await one.clear();
      managed = [];
      wanted = undefined;
    },
  };
}

/** Where ours are set, no others are asked. */
const nobody = async () => [];

async function remember(run: RunCommand, manager: DnsManager): Promise<Managed> {
  switch (manager) {
    case 'resolved': {
      const clear = () => clearResolved(run);
      return {
        manager,
        // It drops a device's settings with the device.
        step: undefined,
        isRemembered: async () => true,
        originalServers: () => otherServersOfResolved(run),
        rivalServers: () => rivalServersOfResolved(run),
        set: setResolved,
        isSet: (dns) => isResolvedSet(run, dns),
        clear,
        leave: () => clear().catch(() => undefined),
      };
    }
    case 'resolvconf': {
      const step = { kind: 'resolvconf-record', record: resolvconfRecord } as const;
      const clear = () => undoDns(run, step);
      return {
        manager,
        step,
        isRemembered: async () => true,
        originalServers: () => otherServersOfResolvconf(step.record),
        rivalServers: nobody,
        set: (dns) => setResolvconf(run, step.record, dns, resolvConf),
        isSet: (dns) => isResolvconfSet(step.record, dns, resolvConf),
        clear,
        leave: clear,
      };
    }
    case 'file': {
      const step = await rememberResolvConf(resolvConf);
      const isInPlace = async () => (await resolveLinks(resolvConf)) === step.path;
      const clear = () => undoDns(run, step);
      return {
        manager,
        step,
        isRemembered: async () => (await isInPlace()) && isStillRemembered(step),
        originalServers: async () => originalServersOf(step),
        rivalServers: nobody,
        set: (dns) => writeResolvConf(step, dns),
        isSet: async (dns) => (await isInPlace()) && isResolvConfSet(step, dns),
        clear,
        leave: clear,
      };
    }
    case 'fixed-file': {
      const step = await rememberResolvConf(resolvConf);
      const nothing = async () => undefined;
      return {
        manager,
        step: undefined,
        isRemembered: async () => true,
        originalServers: async () => originalServersOf(step),
        rivalServers: nobody,
        set: nothing,
        isSet: async () => true,
        clear: nothing,
        leave: nothing,
      };
    }
    default:
      return manager satisfies never;
  }
}

async function undoDns(run: RunCommand, step: LinuxDnsUndo): Promise<void> {
  if (step.kind === 'resolv-conf') await restoreResolvConf(step);
  else await clearResolvconf(run, step.record);
}
