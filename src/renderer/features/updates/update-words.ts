import type { UpdateHeld, UpdateProblem } from '#shared/host/updates-contract.ts';
import type { UpdateTextKey } from '#shared/texts/update-texts.ts';

export const problemTexts: Record<UpdateProblem, UpdateTextKey> = {
  unreachable: 'update.unreachable',
  untrusted: 'update.untrusted',
  'other-product': 'update.untrusted',
  replayed: 'update.untrusted',
  damaged: 'update.untrusted',
  'no-room': 'update.noRoom',
  busy: 'update.busy',
};

export const heldTexts: Record<UpdateHeld, UpdateTextKey> = {
  'would-open': 'update.wouldOpen',
  'would-open-other': 'update.wouldOpenOther',
  'not-started': 'update.notStarted',
  running: 'update.running',
  'not-writable': 'update.notWritable',
  'not-replaced': 'update.notReplaced',
};
