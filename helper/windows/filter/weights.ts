/**
 * Of a sublayer's filters that match, the one with the highest weight decides; those of the same weight never
 * contradict each other.
 */
export const weights = {
  throughTunnel: 15,
  elsewhereInTunnel: 14,
  resolvers: 13,
  withinMachine: 12,
  ownPrograms: 11,
  nameServices: 10,
  link: 9,
  localNetworks: 8,
  captured: 4,
  rest: 0,
} as const;
