const MEASURED_MS = 400;

/** Times of runs over about 0.4 s, at least three, after one that is not counted; ascending. */
export async function time(work) {
  await work();
  const times = [];
  for (let total = 0; total < MEASURED_MS || times.length < 3; total += times.at(-1)) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

/** Three significant digits. */
export const round = value => Number(value.toPrecision(3));
