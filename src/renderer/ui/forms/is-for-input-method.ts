import type { KeyboardEvent } from 'react';

/**
 * Whether an input method takes this key, such as the Enter that chooses its suggestion. WebKit has ended the
 * composition before that event, and tells only by the key code that input methods have (UI Events, "keyCode": 229).
 */
export const isForInputMethod = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;
