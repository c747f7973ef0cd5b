// Held bytes: how much memory answers take that are made and not gone.

/** Stops counting; idempotent. */
export type Release = () => void;

/** Many may hold one buffer; its bytes count once. */
export class HeldBytes {
  /** How many hold each buffer. */
  readonly #holders = new Map<Buffer, number>();
  readonly #onRelease: () => void;
  #bytes = 0;

  /** @param onRelease called when there are fewer */
  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(buffers: readonly Buffer[]): Release {
    for (const buffer of buffers) {
      const holders = this.#holders.get(buffer) ?? 0;
      this.#holders.set(buffer, holders + 1);
      if (holders === 0) this.#bytes += buffer.length;
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const buffer of buffers) {
        const holders = this.#holders.get(buffer) ?? 0;
        if (holders > 1) this.#holders.set(buffer, holders - 1);
        else if (this.#holders.delete(buffer)) this.#bytes -= buffer.length;
      }
      this.#onRelease();
    };
  }
}
