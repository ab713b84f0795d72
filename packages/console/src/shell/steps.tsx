interface StepsProps {
  readonly title: string
  readonly text: string
  /** Ascending by `at`. */
  readonly points: readonly { readonly at: number; readonly value: number }[]
}

const WIDTH = 640
const HEIGHT = 120

/** A value over time that stays until it changes, as one line. The text says the same for those who do not see it. */
export function Steps({ title, text, points }: StepsProps) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 2) return null
  const highest = Math.max(...points.map(({ value }) => value), 1)
  const xOf = (at: number) => (WIDTH * (at - first.at)) / Math.max(1, last.at - first.at)
  const yOf = (value: number) => HEIGHT - (HEIGHT - 8) * (value / highest)
  const path = points
    .map(
      ({ at, value }, index) =>
        `${index === 0 ? 'M' : 'H'}${xOf(at)}${index === 0 ? ` ${yOf(value)}` : ` V${yOf(value)}`}`,
    )
    .join(' ')
  return (
    <figure>
      <svg viewBox={`-2 0 ${WIDTH + 4} ${HEIGHT + 4}`} role="img" aria-label={title} class="steps">
        <path class="area" d={`${path} V${HEIGHT} H0 Z`} />
        <path class="line" d={path} />
      </svg>
      <figcaption>
        {title}. {text}
      </figcaption>
    </figure>
  )
}
