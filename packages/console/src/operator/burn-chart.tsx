import { momentOf } from '../shell/dates.ts'
import { numberOf } from '../shell/numbers.ts'
import { words } from '../words/operator/words.ts'
import type { Burn } from './slo-report.ts'

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [640, 170, 56, 10, 32]
/** Rates above are drawn at the edge: they ring in any case. */
const MAX_RATE = 100

/** Burn rates over time. The caption says the same for those who do not see it. */
export function BurnChart({ share, limit, points }: Burn) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 2) return null
  const peak = Math.max(...points.map(({ long }) => long))
  const top = Math.min(MAX_RATE, Math.max(limit * 1.5, peak, ...points.map(({ short }) => short)))
  const x = (at: number) => LEFT + ((WIDTH - LEFT) * (at - first.at)) / Math.max(1, last.at - first.at)
  const y = (rate: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(rate, top) / top)
  const path = (window: 'long' | 'short') =>
    points.map((point, i) => `${i === 0 ? 'M' : 'L'}${x(point.at).toFixed(1)} ${y(point[window]).toFixed(1)}`).join('')
  const text = words.burnText(words.shares[share], numberOf(peak), numberOf(last.long), numberOf(limit))
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text} class="burn">
        <path class="rule" d={`M${LEFT} ${y(0)}H${WIDTH}M${LEFT} ${y(top)}H${WIDTH}`} />
        <path class="limit" d={`M${LEFT} ${y(limit)}H${WIDTH}`} />
        <path class="short" d={path('short')} />
        <path class="long" d={path('long')} />
        <text x={LEFT - 6} y={y(0) + 4} text-anchor="end">
          {numberOf(0)}
        </text>
        <text x={LEFT - 6} y={y(limit) + 4} text-anchor="end">
          {numberOf(limit)}
        </text>
        <text x={LEFT} y={HEIGHT - 8}>
          {momentOf(first.at)}
        </text>
        <text x={WIDTH} y={HEIGHT - 8} text-anchor="end">
          {momentOf(last.at)}
        </text>
      </svg>
      <figcaption>{text}</figcaption>
    </figure>
  )
}
