import { EventEmitter } from 'node:events';

/** Read by Node and by JavaScript itself on any value, whether or not it has them. */
const askedOfAnything = new Set([
  'then',
  'toJSON',
  'constructor',
  'domain',
  '__esModule',
  'nodeType',
  'asymmetricMatch',
]);

/** The object, with a clear error for whatever of Electron's API it does not have. */
export function strict<Target extends object>(name: string, target: Target): Target {
  return new Proxy(target, {
    get(object, key, receiver) {
      if (typeof key === 'string' && !(key in object) && !key.startsWith('_') && !askedOfAnything.has(key)) {
        throw new Error(`stand-in: Electron's ${name}.${key} is not implemented`);
      }
      return Reflect.get(object, key, receiver) as unknown;
    },
  });
}

/** An event emitter of Electron's that is strict about names; events are checked by its documentation only. */
export class StrictEmitter extends EventEmitter {
  constructor(name: string) {
    super();
    // oxlint-disable-next-line no-constructor-return -- so that `this` of all subclasses is the strict object
    return strict(name, this);
  }
}

/** An event of Electron's: the first argument of listeners. */
export function createEvent<Details extends object>(
  details: Details,
): Details & { readonly defaultPrevented: boolean; preventDefault(): void } {
  let defaultPrevented = false;
  return Object.assign(
    Object.create({
      get defaultPrevented() {
        return defaultPrevented;
      },
      preventDefault() {
        defaultPrevented = true;
      },
    }) as { readonly defaultPrevented: boolean; preventDefault(): void },
    details,
  );
}
