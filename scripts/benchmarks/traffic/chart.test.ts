import { expect, it } from 'vitest'
import { tableLines } from '../figures/figure.ts'
import { latencyChart } from './chart.ts'
import { MIX } from './mix.ts'
import type { Sample } from './run.ts'
import { errorsOf, slicesOf, summarize, tableOf } from './summary.ts'

const [root, head] = MIX
if (!root || !head) throw new Error('an empty mix')

const sample = (kind: Sample['kind'], milliseconds: number, more: Partial<Sample> = {}): Sample => {
  return { kind, at: 0, milliseconds, outcome: 'answered', status: 200, ...more }
}
const samples = [
  ...Array.from({ length: 100 }, (_, i) => sample(root, i + 1)),
  sample(head, 20),
  sample(head, 10_000, { outcome: 'timeout', status: 0 }),
  sample(head, 1, { outcome: 'unsent', status: 0 }),
  sample(head, 30, { outcome: 'failed', status: 503 }),
]
const summaries = summarize(samples, ['root read', 'head read', 'unused'], 2)

it('summarizes latencies by kind, time-outs included', () => {
  expect(summaries).toEqual([
    { service: 'core', name: 'root read', count: 100, perSecond: 50, p50: 51, p90: 91, p99: 100, max: 100, errors: 0 },
    {
      service: 'core',
      name: 'head read',
      count: 4,
      perSecond: 2,
      p50: 30,
      p90: 10_000,
      p99: 10_000,
      max: 10_000,
      errors: 3,
    },
    {
      service: 'all',
      name: 'everything',
      count: 104,
      perSecond: 52,
      p50: 50,
      p90: 91,
      p99: 100,
      max: 10_000,
      errors: 3,
    },
  ])
})

it('counts every error', () => {
  expect(errorsOf(samples)).toEqual([
    'core head read: failed 503, once',
    'core head read: timeout, once',
    'core head read: unsent, once',
  ])
})

it('aligns numbers right and words left', () => {
  expect(tableLines(tableOf('A run', summaries)).split('\n')).toEqual([
    'A run',
    'service  request     count  per s  p50 ms   p90 ms   p99 ms   max ms  errors',
    'core     root read     100   50.0    51.0     91.0    100.0    100.0       0',
    'core     head read       4    2.0    30.0  10000.0  10000.0  10000.0       3',
    'all      everything    104   52.0    50.0     91.0    100.0  10000.0       3',
  ])
})

it('summarizes each second with requests', () => {
  const at = (second: number, milliseconds: number, outcome: Sample['outcome'] = 'answered') =>
    sample(root, milliseconds, { at: second * 1000 + 500, outcome })
  expect(slicesOf([at(2, 7), at(0, 10), at(0, 30), at(0, 20), at(1, 5, 'unsent')])).toEqual([
    { second: 0, p50: 20, max: 30 },
    { second: 2, p50: 7, max: 7 },
  ])
})

const slices = [
  { second: 0, p50: 10, max: 100 },
  { second: 5, p50: 10, max: 10_000 },
  { second: 10, p50: 100, max: 1_000 },
]

it('draws each kind on one logarithmic scale', () => {
  const chart = latencyChart('A run', 'of two kinds', summaries, slices)
  const ticks = [...chart.matchAll(/x="([0-9.]+)" y="[0-9.]+" text-anchor="middle">([0-9.]+) ms/g)]
  expect(ticks.map(([, , tick]) => tick)).toEqual(['10', '100', '1000', '10000'])
  expect(ticks.map(([, x]) => Number(x))).toEqual([190, 393.3, 596.7, 800])
  expect(chart.match(/class="mark p50"/g)).toHaveLength(summaries.length + 1)
  expect(chart).toContain('<line class="max" x1="800"')
  for (const { name } of summaries) expect(chart).toContain(`>${name} <tspan`)
})

it('draws the seconds of the run on the same scale, vertically', () => {
  const chart = latencyChart('A run', 'of two kinds', summaries, slices)
  const points = (name: string) => new RegExp(`class="line-${name}" points="([^"]*)"`).exec(chart)?.[1]
  const decades = [360, 313.3, 266.7, 220]
  expect(points('p50')).toBe(`190,${decades[0]} 495,${decades[0]} 800,${decades[1]}`)
  expect(points('max')).toBe(`190,${decades[1]} 495,${decades[3]} 800,${decades[2]}`)
})

it('has a title, follows the color scheme and escapes text', () => {
  const chart = latencyChart('a < b & "c"', 'of <two>', summaries, slices)
  expect(chart).toContain('role="img"')
  expect(chart).toContain('<title id="title">a &lt; b &amp; "c"</title>')
  expect(chart).toContain('prefers-color-scheme: dark')
  expect(chart).not.toContain('<two>')
})
