import koffi, { type TypeObject } from 'koffi';
import type { NativeType } from './native-library.ts';

/**
 * A structure of Windows. Its members bear C's names, or `designators` say which member of C each of them is, such as
 * one of a union, so that the layout can be compared with the headers. Without a name of its own in koffi, where names
 * exist once in a process.
 */
export interface Structure {
  readonly name: string;
  readonly type: TypeObject;
  readonly designators: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, NativeType>>;
}

export function structure<Member extends string>(
  name: string,
  members: Readonly<Record<Member, NativeType>>,
  designators: Partial<Record<Member, string>> = {},
): Structure {
  const all = Object.keys(members).map(
    (member) => [member, designators[member as Member] ?? member] as const,
  );
  return { name, type: koffi.struct({ ...members }), designators: Object.fromEntries(all), members };
}

/** In bytes. */
export const sizeOf = ({ type }: Structure): number => koffi.sizeof(type);
/** Where in the structure a member begins. */
export const placeOf = ({ type }: Structure, member: string): number => koffi.offsetof(type, member);

export const bytes = (length: number) => koffi.array('uint8', length, 'Typed');
