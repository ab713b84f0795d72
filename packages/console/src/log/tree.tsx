import { useId } from 'preact/hooks'
import { words } from '../words/log/words.ts'
import { peaksOf } from './peaks.ts'

const WIDTH = 640
const HEIGHT = 150
const GAP = 8

interface TreeProps {
  readonly size: number
  /** How much of it an earlier visit saw; null without one. */
  readonly seen: number | null
}

/** A Merkle tree as its complete subtrees, the largest first. */
export function Tree({ size, seen }: TreeProps) {
  const id = useId()
  const peaks = peaksOf(size)
  if (peaks.length === 0) return <p>{words.emptyTree}</p>
  // By the root, because a log of millions would hide its last entries otherwise.
  const weights = peaks.map(({ height }) => height + 1)
  const unit = (WIDTH - GAP * (peaks.length - 1)) / weights.reduce((sum, weight) => sum + weight, 0)
  const highest = Math.max(...weights)
  let x = 0
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 24}`} role="img" aria-label={words.treeTitle(size)} class="tree">
        {peaks.map(({ first, leaves }, at) => {
          const width = unit * (weights[at] ?? 1)
          const height = (HEIGHT * (weights[at] ?? 1)) / highest
          const left = x
          x += width + GAP
          const share = seen === null ? 0 : Math.min(1, Math.max(0, (seen - first) / leaves))
          return (
            <g key={first}>
              <clipPath id={`${id}-${first}`}>
                <rect x={left} y="0" width={width * share} height={HEIGHT} />
              </clipPath>
              <path class="subtree" d={triangle(left, width, height)} />
              <path class="seen" d={triangle(left, width, height)} clip-path={`url(#${id}-${first})`} />
              {width > 130 ? (
                <text x={left + width / 2} y={HEIGHT + 18} text-anchor="middle">
                  {words.subtree(leaves)}
                </text>
              ) : null}
            </g>
          )
        })}
      </svg>
      <figcaption>{words.treeText}</figcaption>
    </figure>
  )
}

function triangle(left: number, width: number, height: number): string {
  return `M${left} ${HEIGHT} L${left + width / 2} ${HEIGHT - height} L${left + width} ${HEIGHT} Z`
}
