import type { TextKey } from '#shared/texts/texts.ts';

/** The steps of specification §4: an initial confirmation, a warning of what is erased, a last confirmation. */
export const deleteSteps = ['confirm', 'warn', 'final'] as const;
export type DeleteStepName = (typeof deleteSteps)[number];

export const deleteStepNames: Record<DeleteStepName, TextKey> = {
  confirm: 'selfDelete.stepConfirm',
  warn: 'selfDelete.stepWarn',
  final: 'selfDelete.stepFinal',
};
