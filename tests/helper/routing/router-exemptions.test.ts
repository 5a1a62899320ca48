import { expect, test } from 'vitest';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { exemptionRules } from '../../../helper/linux/routing/router-exemptions.ts';
import { noNetworks } from '../../../helper/network/nearby-networks.ts';

test.each([
  [4, '192.0.2.1', '192.0.2.2'],
  [6, '2001:db8::1', '2001:db8::2'],
] as const)(
  'with IPv%i, of the gateway’s network only the gateway is reached past the tunnel',
  (family, address, neighbour) => {
    const capture = { kind: 'everything', exceptLocalNetworks: false } as const;
    const rules = exemptionRules(
      family,
      { capture, networks: noNetworks, gateway: { address, port: 443 } },
      64_000,
      100,
    );
    const destinations = rules.flatMap((rule) => / to (\S+) /.exec(rule)?.slice(1) ?? []);
    const contain = (one: string) => destinations.some((prefix) => isInsidePrefix(one, prefix));
    expect([contain(address), contain(neighbour)]).toEqual([true, false]);
  },
);
