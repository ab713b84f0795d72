const SIDE = 5

/** A picture of an id, to tell one from another at a glance. It proves nothing. */
export function Emblem({ of, size = 40 }: { readonly of: string; readonly size?: number }) {
  const bits = bitsOf(of)
  const hue = bits.reduce((sum, bit, at) => sum + bit * (at + 7) * 13, 0) % 360
  // Mirrored, so that it looks like something.
  const cells = Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)]
    return { x, y, isFilled: bits[y * 3 + Math.min(x, SIDE - 1 - x)] === 1 }
  })
  return (
    <svg class="emblem" width={size} height={size} viewBox="-1 -1 7 7" aria-hidden="true">
      <rect x="-1" y="-1" width="7" height="7" rx="1.4" fill={`hsl(${hue} 55% 88%)`} />
      {cells.map(({ x, y, isFilled }) =>
        isFilled ? <rect key={y * SIDE + x} x={x} y={y} width="1" height="1" fill={`hsl(${hue} 65% 36%)`} /> : null,
      )}
    </svg>
  )
}

/** Fifteen bits of a text, by FNV-1a. */
function bitsOf(text: string): number[] {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return Array.from({ length: 15 }, (_, at) => (hash >>> (at * 2)) & 1)
}
