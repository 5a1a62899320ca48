import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ServiceConfig } from '../config.ts';

/**
 * What repeated tasks are called in the database. Files are a machine's own: services on two machines each look
 * after theirs, those on one machine that share a file do so together.
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
