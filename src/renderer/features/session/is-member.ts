import type { User } from '#shared/entities.ts';
import { isMemberLevel } from '#shared/plan/entitlement.ts';

/** A child member uses a payer's plan: it neither buys nor manages members and apps (specification §6). */
export const isMember = ({ profile }: User): boolean => isMemberLevel(profile.level);
