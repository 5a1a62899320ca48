/** The system's main rule set asks all anchors in this one (/etc/pf.conf), in alphabetical order. */
export const anchorsAround = 'com.apple';

/** The anchor of the packet filter that the helper's rules are in. The main rule set is never changed. */
export const filterAnchor = `${anchorsAround}/waymaker`;

/** What in the main rule set asks that anchor. */
export const askingRule = `anchor "${anchorsAround}/*" all`;

/** Marks the resolvers that the helper has set in the dynamic store. */
export const resolverMark = 'WaymakerTunnel';
