/**
 * The anchor of the packet filter that the helper's rules are in. The system's main rule set, which it never changes,
 * asks all anchors in `com.apple` (/etc/pf.conf), in alphabetical order.
 */
export const filterAnchor = 'com.apple/waymaker';

/** What in the main rule set asks that anchor. */
export const askingRule = 'anchor "com.apple/*" all';

/** Marks the resolvers that the helper has set in the dynamic store. */
export const resolverMark = 'WaymakerTunnel';
