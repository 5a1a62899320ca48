import type { MouseEvent } from 'react';

/**
 * Keeps the focus in the current field while a form's button is pressed. Otherwise the field's error could appear
 * between press and release and move the button away from under the pointer, and the click would be lost.
 */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
