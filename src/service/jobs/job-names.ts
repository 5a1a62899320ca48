import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ServiceConfig } from '../config.ts';

/**
 * The names of repeated tasks in the database. Files belong to a machine: services on different machines each take care
 * of their own, and those on one machine that share a file do so together.
 */
export const jobNames = {
  gatewayAccess: ({ gatewayPasswordFile = '' }: ServiceConfig) =>
    ofFile('gateway-access', gatewayPasswordFile),
  traffic: ({ trafficSpool = '' }: ServiceConfig) => ofFile('traffic', trafficSpool),
  limits: 'limits',
  idleDevices: 'idle-devices',
  payments: 'payments',
  wordgateEvents: 'wordgate-events',
  invitationMails: 'invitation-mails',
} as const;

function ofFile(name: string, file: string): string {
  const where = createHash('sha256').update(`${hostname()}\n${file}`).digest('hex');
  return `${name}-${where.slice(0, 16)}`;
}
