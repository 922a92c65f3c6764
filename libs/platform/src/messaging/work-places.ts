/** So many pieces are at work at once. One may leave its place while it waits for others, and comes back when one is free. */
export class WorkPlaces {
  private taken = 0;
  private readonly returning: (() => void)[] = [];

  constructor(private readonly size: number) {}

  get isFull(): boolean {
    return this.taken >= this.size;
  }

  take(): WorkPlace {
    this.taken++;
    return new WorkPlace(this);
  }

  /** Takes a place as soon as there is one, before any new piece does. */
  async takeBack(): Promise<void> {
    if (this.isFull) await new Promise<void>(resolve => this.returning.push(resolve));
    else this.taken++;
  }

  giveBack(): void {
    const next = this.returning.shift();
    // The place is handed on as it is.
    if (next) next();
    else this.taken--;
  }
}

/** The place of one piece of work. */
export class WorkPlace {
  private isHeld = true;
  private isOver = false;

  constructor(private readonly places: WorkPlaces) {}

  leave(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.places.giveBack();
  }

  /** Resolves when the piece has its place again. */
  async comeBack(): Promise<void> {
    if (this.isHeld) return;
    await this.places.takeBack();
    if (this.isOver) this.places.giveBack();
    else this.isHeld = true;
  }

  /** Leaves for good. */
  end(): void {
    this.isOver = true;
    this.leave();
  }
}
