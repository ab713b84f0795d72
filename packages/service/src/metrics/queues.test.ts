import { afterEach, expect, it, vi } from 'vitest'
import { type DataPoint, rowOf } from './metric-rows.ts'
import { meterInto } from './metrics.ts'
import { Queues } from './queues.ts'
import { runTrigger } from './trigger.ts'

afterEach(() => {
  vi.restoreAllMocks()
  meterInto({})
})

const MINUTE_MS = 60_000

function metered() {
  const rows: unknown[] = []
  meterInto({ METRICS: { writeDataPoint: ({ blobs, doubles }: DataPoint) => rows.push(rowOf(blobs, doubles)) } })
  return rows
}

it('tells depth and oldest age, and asks once a minute', async () => {
  const rows = metered()
  const full = vi.fn(async () => ({ depth: 3, oldestAt: 5_000 }))
  const queues = new Queues('pay', { full, empty: async () => ({ depth: 0, oldestAt: null }) })
  const report = { full: { depth: 3, oldestAgeSeconds: 95 }, empty: { depth: 0, oldestAgeSeconds: 0 } }
  expect(await queues.recent(100_000)).toEqual(report)
  expect(await queues.recent(100_000 + MINUTE_MS - 1)).toEqual(report)
  expect(full).toHaveBeenCalledTimes(1)
  expect(rows).toMatchObject([
    { kind: 'queue', service: 'pay', name: 'full', value: 3, detail: 95 },
    { kind: 'queue', service: 'pay', name: 'empty', value: 0, detail: 0 },
  ])
  expect(await queues.recent(100_000 + MINUTE_MS)).toMatchObject({ full: { oldestAgeSeconds: 155 } })
})

it('leaves out a queue that cannot be read, and logs it', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const queues = new Queues('pay', {
    broken: () => Promise.reject(new Error('canary')),
    empty: async () => null,
  })
  expect(await queues.recent(100_000)).toEqual({ empty: { depth: 0, oldestAgeSeconds: 0 } })
  expect(String(warn.mock.lastCall)).toContain('queue measurement')
  expect(String(warn.mock.lastCall)).not.toContain('canary')
})

it('does not wait for one that hangs', async () => {
  const queues = new Queues('pay', { hanging: () => new Promise(() => {}) })
  const startedAt = performance.now()
  expect(await queues.recent(100_000)).toBe(undefined)
  expect(await queues.recent(100_001)).toBe(undefined)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

it('counts a run that was done, and raises an alarm for a part that failed', async () => {
  const rows = metered()
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  await runTrigger({ service: 'core', run: 'hourly' }, [async () => 1])
  const other = vi.fn(async () => {})
  const failing = () => Promise.reject(new TypeError('canary'))
  await expect(runTrigger({ service: 'core', run: 'hourly' }, [failing, other])).rejects.toThrow('canary')
  expect(other).toHaveBeenCalled()
  expect(rows).toMatchObject([
    { kind: 'run', name: 'hourly', outcome: 'done' },
    { kind: 'alarm', name: 'run_failed' },
    { kind: 'run', name: 'hourly', outcome: 'failed' },
  ])
  expect(String(error.mock.lastCall)).toContain('"subject":"hourly"')
  expect(String(error.mock.lastCall)).not.toContain('canary')
})
