// Points by cells of a grid, so that the nearest one is found without a look at all of them.
class Grid {
  static CELLS = 128;

  constructor(places) {
    const cells = Grid.CELLS * Grid.CELLS;
    const count = places.length / 2;
    this.places = places;
    this.starts = new Int32Array(cells + 1);
    this.members = new Int32Array(count);
    for (let point = 0; point < count; point++) this.starts[this.cell(point) + 1] += 1;
    for (let cell = 0; cell < cells; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    for (let point = 0; point < count; point++) this.members[next[this.cell(point)]++] = point;
  }

  // Places are whole numbers below 2 ** 16.
  cell(point) {
    return (this.places[2 * point + 1] >> 9) * Grid.CELLS + (this.places[2 * point] >> 9);
  }

  // Return the nearest visible point within a distance, or -1.
  nearest(x, y, within, visible) {
    const first = (value) => Math.min(Math.max(Math.floor((value - within) / 512), 0), Grid.CELLS - 1);
    const last = (value) => Math.min(Math.max(Math.floor((value + within) / 512), 0), Grid.CELLS - 1);
    let best = -1;
    let least = within * within;
    for (let row = first(y); row <= last(y); row++) {
      for (let column = first(x); column <= last(x); column++) {
        const cell = row * Grid.CELLS + column;
        for (let at = this.starts[cell]; at < this.starts[cell + 1]; at++) {
          const point = this.members[at];
          if (!visible[point]) continue;
          const across = this.places[2 * point] - x;
          const down = this.places[2 * point + 1] - y;
          const distance = across * across + down * down;
          if (distance < least) [best, least] = [point, distance];
        }
      }
    }
    return best;
  }
}
