import type { TextKey } from '#shared/texts/texts.ts';

/** The steps of specification §4: a first confirmation, a warning about what is erased, a final confirmation. */
export const deleteSteps = ['confirm', 'warn', 'final'] as const;
export type DeleteStepName = (typeof deleteSteps)[number];

export const deleteStepNames: Record<DeleteStepName, TextKey> = {
  confirm: 'selfDelete.stepConfirm',
  warn: 'selfDelete.stepWarn',
  final: 'selfDelete.stepFinal',
};
