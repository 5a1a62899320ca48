/**
 * Writes values as messages of D-Bus have them, in little-endian order (D-Bus specification, "Marshaling (Wire
 * Format)"): each at a multiple of its type's alignment from the beginning.
 */
export class MessageWriter {
  readonly #bytes: number[] = [];

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  align(to: number): this {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0);
    return this;
  }

  byte(value: number): this {
    this.#bytes.push(value);
    return this;
  }

  /** `u`, and `i`, which looks the same for what is not negative. */
  uint32(value: number): this {
    this.align(4);
    this.#bytes.push(...uint32(value));
    return this;
  }

  boolean(value: boolean): this {
    return this.uint32(value ? 1 : 0);
  }

  /** `s` and `o`. */
  string(text: string): this {
    const bytes = Buffer.from(text);
    this.uint32(bytes.length);
    this.#bytes.push(...bytes, 0);
    return this;
  }

  /** `g`. */
  signature(text: string): this {
    this.#bytes.push(text.length, ...Buffer.from(text), 0);
    return this;
  }

  /** An array of what `write` writes for each item; `alignment` is that of an item. */
  array<Item>(items: Iterable<Item>, alignment: number, write: (item: Item) => void): this {
    this.uint32(0);
    const length = this.#bytes.length - 4;
    this.align(alignment);
    const start = this.#bytes.length;
    for (const item of items) {
      this.align(alignment);
      write(item);
    }
    this.#bytes.splice(length, 4, ...uint32(this.#bytes.length - start));
    return this;
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
