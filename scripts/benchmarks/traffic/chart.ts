import type { Slice, Summary } from './summary.ts'

const WIDTH = 860
const [LEFT, RIGHT, TOP, BOTTOM] = [190, 60, 92, 44]
const [BETWEEN, PANEL, LINE] = [56, 140, 15]
const ROW = 24

/** Follows the reader's color scheme. The contrast is at least 4.5 to 1 in both. */
const STYLE = `
  svg { --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --mark: #0b5cad; --tail: #b3370b; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14181d; --ink: #e8ecf0; --faint: #a4afba; --rule: #333b44; --mark: #6cb6ff; --tail: #ff9d6b; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .faint { fill: var(--faint); }
  .title { font-size: 16px; font-weight: 600; }
  .rule { stroke: var(--rule); }
  .span { stroke: var(--faint); stroke-width: 2; }
  .mark { stroke: var(--mark); stroke-width: 2; }
  .p50 { fill: var(--mark); }
  .p90 { fill: var(--paper); }
  .line-p50, .line-max { fill: none; stroke: var(--mark); stroke-width: 2; }
  .line-max { stroke: var(--tail); stroke-dasharray: 5 3; }
  .p99, .max { stroke: var(--tail); stroke-width: 2; fill: var(--tail); }`

/**
 * Draws the latencies of each kind on a logarithmic scale: p50 as a disc, p90 as a ring, p99 as a diamond and the maximum
 * as a bar, so that color is not needed to tell them apart. Below, the latencies of all requests by the second in which
 * they were due: a stall shows as a peak.
 */
export function latencyChart(
  title: string,
  subtitle: string,
  summaries: readonly Summary[],
  slices: readonly Slice[],
): string {
  const bottom = TOP + summaries.length * ROW
  const height = bottom + BETWEEN + PANEL + BOTTOM
  const scale = logScale(summaries, slices)
  const x = placed(scale, LEFT, WIDTH - RIGHT)
  const ticks = scale.ticks.map(
    (tick) =>
      `<line class="rule" x1="${x(tick)}" y1="${TOP}" x2="${x(tick)}" y2="${bottom}"/>` +
      `<text class="faint" x="${x(tick)}" y="${bottom + 20}" text-anchor="middle">${tick} ms</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title about">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="about">${escaped(subtitle)}. ${escaped(described(summaries))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="var(--paper)"/>`,
    `<text class="title" x="16" y="28">${escaped(title)}</text>`,
    `<text class="faint" x="16" y="48">${escaped(subtitle)}</text>`,
    legend(72),
    ...ticks,
    ...summaries.map((summary, i) => rowOf(summary, TOP + i * ROW + ROW / 2, x)),
    ...panel(slices, scale, bottom + BETWEEN),
    '</svg>\n',
  ].join('\n')
}

interface Scale {
  /** Powers of ten. */
  readonly low: number
  readonly high: number
  readonly ticks: readonly number[]
}

/** Whole decades, from below the lowest median to above the slowest response. */
function logScale(summaries: readonly Summary[], slices: readonly Slice[]): Scale {
  const times = [...summaries, ...slices]
  const low = Math.floor(Math.log10(Math.max(0.1, Math.min(...times.map(({ p50 }) => p50)))))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...times.map(({ max }) => max)))))
  return { low, high, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) }
}

function placed({ low, high }: Scale, from: number, to: number): (milliseconds: number) => number {
  return (milliseconds) => {
    const share = (Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)
    return rounded(from + share * (to - from))
  }
}

const rounded = (place: number) => Number(place.toFixed(1))

/** The same scale vertically, over the seconds of the run. */
function panel(slices: readonly Slice[], scale: Scale, top: number): string[] {
  const y = placed(scale, top + PANEL, top)
  const last = Math.max(1, slices.at(-1)?.second ?? 1)
  const x = (second: number) => rounded(LEFT + (second / last) * (WIDTH - LEFT - RIGHT))
  const line = (name: 'p50' | 'max') =>
    `<polyline class="line-${name}" points="${slices.map((slice) => `${x(slice.second)},${y(slice[name])}`).join(' ')}"/>`
  const [ends = { second: 0, p50: 0, max: 0 }] = slices.slice(-1)
  // Labels at the ends of the lines, moved apart if they would overlap.
  const apart = Math.max(0, LINE - (y(ends.p50) - y(ends.max))) / 2
  const label = (text: string, at: number) =>
    `<text class="faint" x="${x(ends.second) + 6}" y="${at + 4}">${text}</text>`
  return [
    ...scale.ticks.map(
      (tick) =>
        `<line class="rule" x1="${LEFT}" y1="${y(tick)}" x2="${WIDTH - RIGHT}" y2="${y(tick)}"/>` +
        `<text class="faint" x="${LEFT - 14}" y="${y(tick) + 4}" text-anchor="end">${tick} ms</text>`,
    ),
    line('max'),
    line('p50'),
    label('slowest', y(ends.max) - apart),
    label('p50', y(ends.p50) + apart),
    `<text class="faint" x="${LEFT}" y="${top + PANEL + 20}" text-anchor="middle">0 s</text>`,
    `<text class="faint" x="${WIDTH - RIGHT}" y="${top + PANEL + 20}" text-anchor="middle">${last} s</text>`,
  ]
}

function rowOf({ service, name, p50, p90, p99, max }: Summary, y: number, x: (milliseconds: number) => number): string {
  return [
    `<text x="${LEFT - 14}" y="${y + 4}" text-anchor="end">${escaped(name)} <tspan class="faint">${escaped(service)}</tspan></text>`,
    `<line class="span" x1="${x(p50)}" y1="${y}" x2="${x(max)}" y2="${y}"/>`,
    markOf('max', x(max), y),
    markOf('p99', x(p99), y),
    markOf('p90', x(p90), y),
    markOf('p50', x(p50), y),
  ].join('')
}

function markOf(name: 'p50' | 'p90' | 'p99' | 'max', x: number, y: number): string {
  switch (name) {
    case 'p50':
    case 'p90':
      return `<circle class="mark ${name}" cx="${x}" cy="${y}" r="4.5"/>`
    case 'p99':
      return `<path class="p99" d="M${x} ${y - 5}l5 5-5 5-5-5z"/>`
    case 'max':
      return `<line class="max" x1="${x}" y1="${y - 6}" x2="${x}" y2="${y + 6}"/>`
  }
}

function legend(y: number): string {
  const entries = [
    ['p50', 'p50'],
    ['p90', 'p90'],
    ['p99', 'p99'],
    ['max', 'the slowest'],
  ] as const
  let x = LEFT
  return entries
    .map(([name, says]) => {
      const entry = `${markOf(name, x, y - 4)}<text class="faint" x="${x + 12}" y="${y}">${says}</text>`
      x += 60 + says.length * 6.5
      return entry
    })
    .join('')
}

function described(summaries: readonly Summary[]): string {
  return summaries
    .map(({ name, p50, p99, max }) => `${name}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`)
    .join('; ')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
