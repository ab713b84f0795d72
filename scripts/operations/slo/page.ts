/**
 * A page that draws how objectives burn over time. It loads nothing, follows the reader's color scheme, and says in tables
 * what its charts show.
 *
 * @module
 */
import type { EvaluationOptions, Rang, Ringing } from './alerts.ts'
import type { Burn } from './burns.ts'

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 150, 56, 24, 10]
/** Rates above are drawn at the edge: they ring in any case. */
const MAX_RATE = 100

const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --long: #0b5cad; --short: #b3370b; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e8ecf0; --faint: #a4afba; --rule: #333b44; --long: #6cb6ff; --short: #ff9d6b; --bad: #ff8182; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--rule); padding: .3rem .8rem .3rem 0; text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.rings { color: var(--bad); font-weight: 600; } .faint { color: var(--faint); }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--faint); }
.rule { stroke: var(--rule); } .limit { stroke: var(--bad); stroke-dasharray: 2 3; }
.long, .short { fill: none; stroke-width: 2; } .long { stroke: var(--long); } .short { stroke: var(--short); stroke-dasharray: 5 3; }`

export interface Shown {
  readonly alerts: readonly Ringing[]
  readonly past: readonly Rang[]
  readonly burns: readonly Burn[]
}

export function sloPage({ alerts, past, burns }: Shown, options: EvaluationOptions): string {
  const sections = [...new Set(burns.map(({ title }) => title))].map((title) => section(burns, title))
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Service levels</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style></head>
<body><main>
<h1>Service levels</h1>
<p class="faint">From ${time(options.observedFrom)} to ${time(options.now)}.${options.scale && options.scale !== 1 ? ` All windows divided by ${options.scale}.` : ''}</p>
<h2>Alerts</h2>
${alertTable(alerts)}
<h2>Alerts of this time</h2>
${pastTable(past)}
<h2>Objectives</h2>
<p>A burn rate of 1 spends the error budget in 30 days. Solid: the window of an hour. Dashed: of five minutes. The dotted line is the rate at which the fast alert rings.</p>
${sections.join('\n')}
</main></body></html>
`
}

function alertTable(alerts: readonly Ringing[]): string {
  if (alerts.length === 0) return '<p>None rings.</p>'
  const lines = alerts.map(
    ({ alert, subject, since, text }) =>
      `<tr><td class="rings">${escaped(alert)}</td><td>${escaped(subject)}</td><td>${time(since)}</td><td>${escaped(text)}</td></tr>`,
  )
  return `<table><thead><tr><th>Alert</th><th>Of</th><th>Since</th><th>What</th></tr></thead><tbody>${lines.join('')}</tbody></table>`
}

function pastTable(past: readonly Rang[]): string {
  if (past.length === 0) return '<p>None rang.</p>'
  const lines = past.map(
    ({ alert, subject, since, until }) =>
      `<tr><td>${escaped(alert)}</td><td>${escaped(subject)}</td><td>${time(since)}</td><td>${time(until)}</td></tr>`,
  )
  return `<table><thead><tr><th>Alert</th><th>Of</th><th>First rang</th><th>Last rang</th></tr></thead><tbody>${lines.join('')}</tbody></table>`
}

function section(burns: readonly Burn[], title: string): string {
  const own = burns.filter((burn) => burn.title === title)
  const lines = own.map(({ share, target, requests, bad, rate, p99Ms }) => {
    const met = requests === 0 ? '–' : `${((1 - bad / requests) * 100).toFixed(3)} %`
    const name = share === 'availability' ? 'answered' : `within ${p99Ms} ms`
    return `<tr><td>${name}</td><td class="n">${target * 100} %</td><td class="n">${met}</td><td class="n">${requests}</td><td class="n">${bad}</td><td class="n">${rate.toFixed(1)}</td></tr>`
  })
  return `<h3>${escaped(title)}</h3>
<table><thead><tr><th>Share</th><th>Objective</th><th>Met</th><th>Requests</th><th>Bad</th><th>Burn rate</th></tr></thead><tbody>${lines.join('')}</tbody></table>
${own.map(chart).join('\n')}`
}

function chart({ title, share, limit, points }: Burn): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return ''
  const [long, short] = [points.map((point) => point.long), points.map((point) => point.short)]
  const top = Math.min(MAX_RATE, Math.max(limit * 1.5, ...long, ...short))
  const x = (i: number) => LEFT + ((WIDTH - LEFT - 8) * i) / (points.length - 1)
  const y = (rate: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(rate, top) / top)
  const path = (rates: readonly number[]) =>
    rates.map((rate, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(rate).toFixed(1)}`).join('')
  const name = `${title}, ${share}: burn rate`
  const about = `${name} over an hour is at most ${Math.max(...long).toFixed(1)}, and ${last.long.toFixed(1)} at the end. The fast alert rings at ${limit}.`
  const tick = (rate: number) =>
    `<line class="rule" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(rate)}" y2="${y(rate)}"/><text x="${LEFT - 8}" y="${y(rate) + 4}" text-anchor="end">${rate.toFixed(0)}</text>`
  return `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(about)}">
${tick(0)}${tick(top)}<line class="limit" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(limit)}" y2="${y(limit)}"/>
<path class="long" d="${path(long)}"/><path class="short" d="${path(short)}"/>
<text x="${LEFT}" y="${HEIGHT - 6}">${time(first.at)}</text><text x="${WIDTH - 8}" y="${HEIGHT - 6}" text-anchor="end">${time(last.at)}</text>
</svg><figcaption class="faint">${escaped(about)}</figcaption></figure>`
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
