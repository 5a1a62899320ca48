import type { MouseEvent } from 'react';

/**
 * For the pressing of a form's button: the field that has the focus keeps it. Were it left, its error could
 * appear between press and release, move the button away from under the pointer, and the click would be lost.
 */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
