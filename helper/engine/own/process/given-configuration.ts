import type { GivenConfiguration, GivenTerms } from '../../engine-port.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';
import { readCustomAttributes } from '../cstp/post-auth-xml.ts';
import { termsLimits, type EngineMessage } from './messages.ts';

/** What the helper is told of a gateway's answer, to configure the system with. */
export function givenConfigurationOf(
  answer: ConnectAnswer,
  mtu: number,
  withRoutes: boolean,
): GivenConfiguration {
  const { ipv4, ipv6, resolvers, searchDomains, routes } = answer;
  return {
    ...(ipv4 !== undefined && { ipv4 }),
    ...(ipv6 !== undefined && { ipv6 }),
    mtu: String(mtu),
    servers: resolvers,
    searchDomains,
    ...(withRoutes && { routes }),
  };
}

/** What it is told besides, within the limits of the message. */
export function termsOf({
  limits,
  banner,
  splitDns,
  postAuthXml,
}: ConnectAnswer): GivenTerms & EngineMessage<'terms'> {
  const { sessionSeconds, idleSeconds } = limits;
  return {
    ...(sessionSeconds !== undefined && { sessionSeconds }),
    ...(idleSeconds !== undefined && { idleSeconds }),
    ...(banner !== undefined && { message: banner.slice(0, termsLimits.message) }),
    splitDns: splitDns.slice(0, termsLimits.splitDns),
    attributes: postAuthXml === undefined ? [] : readCustomAttributes(postAuthXml),
  };
}
