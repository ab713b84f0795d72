const { fround } = Math
/** Enough terms for an angle of up to a quarter turn: the next one is below 10^-20. */
const COSINE_TERMS = 13

/**
 * The lowest frequencies of a square image, `count` by `count`, row after row: of its type-II discrete cosine transform
 * the rows and columns 1 to `count`. The mean of each row and column, frequency 0, is left out. Sums are in single
 * precision and in the order of the reference implementation of PDQ, so that all engines find the same.
 */
export function lowFrequencies(square: Float32Array, side: number, count: number): Float32Array {
  const waves = wavesOf(side, count)
  const vertical = new Float32Array(count * side)
  for (let i = 0; i < count; i++)
    for (let x = 0; x < side; x++) {
      let sum = 0
      for (let y = 0; y < side; y++) sum = fround(sum + fround(waves[i * side + y]! * square[y * side + x]!))
      vertical[i * side + x] = sum
    }
  const both = new Float32Array(count * count)
  for (let i = 0; i < count; i++)
    for (let j = 0; j < count; j++) {
      let sum = 0
      for (let x = 0; x < side; x++) sum = fround(sum + fround(vertical[i * side + x]! * waves[j * side + x]!))
      both[i * count + j] = sum
    }
  return both
}

const made = /* @__PURE__ */ new Map<string, Float32Array>()

/** Row i is the cosine of frequency i + 1, scaled to length 1. */
function wavesOf(side: number, count: number): Float32Array {
  const name = `${side}/${count}`
  const before = made.get(name)
  if (before) return before
  const scale = fround(Math.sqrt(2 / side))
  const waves = Float32Array.from(
    { length: count * side },
    (_, at) => scale * cosine((Math.floor(at / side) + 1) * (2 * (at % side) + 1), side),
  )
  made.set(name, waves)
  return waves
}

/**
 * The cosine of an angle in steps; `quarter` steps make a right angle. Not `Math.cos`, whose last bits differ between engines:
 * additions and multiplications do not.
 */
function cosine(steps: number, quarter: number): number {
  const turn = 4 * quarter
  const folded = Math.min(steps % turn, turn - (steps % turn))
  if (folded > quarter) return -cosine(2 * quarter - folded, quarter)
  const angle = (folded * Math.PI) / (2 * quarter)
  let term = 1
  let sum = 1
  for (let n = 1; n <= COSINE_TERMS; n++) {
    term *= (-angle * angle) / ((2 * n - 1) * (2 * n))
    sum += term
  }
  return sum
}
