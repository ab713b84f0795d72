import type { Summary } from './summary.ts'

const WIDTH = 860
const [LEFT, RIGHT, TOP, BOTTOM] = [190, 50, 92, 44]
const ROW = 24

/** Follows the reader's colours where it is shown as a page or an image of one; contrast is 4.5 to 1 and more in both. */
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
  .p99, .max { stroke: var(--tail); stroke-width: 2; fill: var(--tail); }`

/**
 * An SVG of the latencies of each kind on a logarithmic scale: p50 as a disc, p90 as a ring, p99 as a diamond and the
 * slowest as a bar, so that none of them is told by colour alone.
 */
export function latencyChart(title: string, subtitle: string, summaries: readonly Summary[]): string {
  const height = TOP + summaries.length * ROW + BOTTOM
  const scale = logScale(summaries)
  const bottom = TOP + summaries.length * ROW
  const ticks = scale.ticks.map(
    (tick) =>
      `<line class="rule" x1="${scale.x(tick)}" y1="${TOP}" x2="${scale.x(tick)}" y2="${bottom}"/>` +
      `<text class="faint" x="${scale.x(tick)}" y="${bottom + 20}" text-anchor="middle">${tick} ms</text>`,
  )
  const rows = summaries.map((summary, i) => rowOf(summary, TOP + i * ROW + ROW / 2, scale.x))
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
    ...rows,
    '</svg>\n',
  ].join('\n')
}

/** Whole decades from below the quickest median to above the slowest answer. */
function logScale(summaries: readonly Summary[]) {
  const low = Math.floor(Math.log10(Math.max(0.1, Math.min(...summaries.map(({ p50 }) => p50)))))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...summaries.map(({ max }) => max)))))
  const x = (milliseconds: number) => {
    const share = (Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)
    return Number((LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1))
  }
  return { x, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) }
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
