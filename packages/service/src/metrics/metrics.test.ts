import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../answer/api-error.ts'
import { doneOrDelayed, isSampled, raiseAlarm } from '../app/log.ts'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { type DataPoint, dataPointOf, type MetricRow, rowOf } from './metric-rows.ts'
import { meterInto, writeRow } from './metrics.ts'

afterEach(() => {
  vi.restoreAllMocks()
  meterInto({})
})

function metered(): (MetricRow | null)[] {
  const rows: (MetricRow | null)[] = []
  meterInto({ METRICS: { writeDataPoint: ({ blobs, doubles }: DataPoint) => rows.push(rowOf(blobs, doubles)) } })
  return rows
}

describe('a row', () => {
  it('is the same after it was stored', () => {
    const row: MetricRow = {
      kind: 'request',
      service: 'core',
      name: 'readHead',
      outcome: '4xx',
      error: 'not_found',
      value: 3,
      detail: 404,
    }
    const { blobs, doubles, indexes } = dataPointOf(row)
    expect(rowOf(blobs, doubles)).toEqual(row)
    expect(indexes).toEqual(['request:core:readHead'])
    expect(dataPointOf({ ...row, name: 'x'.repeat(200) }).indexes[0]).toHaveLength(96)
  })

  it.each([[[]], [['gone', 'core', 'x']], [['queue', '', 'x']], [['queue', 'core', '']]])(
    'is null for a data point of %j',
    (blobs) => expect(rowOf(blobs, [1, 2, 3])).toBe(null),
  )
})

describe('what is counted', () => {
  it('is each request, by its operation and the name of its error', async () => {
    const rows = metered()
    const fail = () => {
      throw new ApiError('stale_head')
    }
    const { send } = toy([toyRoute('/x', () => new Response('x')), toyRoute('/y', fail)])
    for (const path of ['/x', '/y', '/z']) await send(new Request(`${TOY_BASE}${path}`))
    expect(rows).toMatchObject([
      { kind: 'request', service: 'consent', name: 'readx', outcome: '2xx', error: '', detail: 200 },
      { kind: 'request', service: 'consent', name: 'ready', outcome: '4xx', error: 'stale_head', detail: 409 },
      { kind: 'request', service: 'consent', name: 'unmatched', outcome: '4xx', error: 'not_found', detail: 404 },
    ])
  })

  it('is each delay and each alarm, with how much it is', async () => {
    for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {})
    const rows = metered()
    await doneOrDelayed({ service: 'core', delayed: 'anchors', waiting: 3 }, () => Promise.reject(new Error('x')))
    raiseAlarm({ service: 'pay', alarm: 'payment_events_waiting', count: 2 })
    raiseAlarm({ service: 'pay', alarm: 'second_subscription', subject: 'subscription:1' })
    expect(rows).toMatchObject([
      { kind: 'delay', service: 'core', name: 'anchors', value: 3 },
      { kind: 'alarm', service: 'pay', name: 'payment_events_waiting', value: 2 },
      { kind: 'alarm', service: 'pay', name: 'second_subscription', value: 1 },
    ])
    expect(JSON.stringify(rows)).not.toContain('subscription:1')
  })

  it('fails nothing when it cannot be written', () => {
    const writeDataPoint = () => {
      throw new TypeError('too many data points')
    }
    meterInto({ METRICS: { writeDataPoint } })
    expect(() => writeRow({ kind: 'run', service: 'core', name: 'hourly', value: 1 })).not.toThrow()
    meterInto({})
    expect(() => writeRow({ kind: 'run', service: 'core', name: 'hourly', value: 1 })).not.toThrow()
  })
})

describe('sampling of lines', () => {
  const rate = (LOG_SAMPLE: number) => () => {
    const runtime = toyRuntime()
    return { ...runtime, config: { ...runtime.config, LOG_SAMPLE } }
  }
  const linesOf = async (setUp: () => ReturnType<typeof toyRuntime>) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { send } = toy([toyRoute('/x', () => new Response('x'))], {}, setUp)
    for (const path of ['/x', '/z']) await send(new Request(`${TOY_BASE}${path}`))
    return log.mock.calls.map(([line]) => (JSON.parse(String(line)) as { status: number }).status)
  }

  it('keeps every line of a refusal, and every row', async () => {
    const rows = metered()
    expect(await linesOf(rate(0))).toEqual([404])
    expect(rows).toHaveLength(2)
  })

  it('keeps every line by default', async () => {
    expect(await linesOf(toyRuntime)).toEqual([200, 404])
  })

  it('keeps or drops a request in all services alike', () => {
    const [first, last] = ['00000000-8f5b-4f0c-9a61-2f4f6f0b8a11', 'ffffffff-8f5b-4f0c-9a61-2f4f6f0b8a11']
    expect([0, 0.5, 1].map((share) => isSampled(first, share))).toEqual([false, true, true])
    expect([0, 0.5, 1].map((share) => isSampled(last, share))).toEqual([false, false, true])
    const kept = Array.from({ length: 2000 }, () => isSampled(crypto.randomUUID(), 0.25)).filter(Boolean)
    expect(kept.length).toBeGreaterThan(400)
    expect(kept.length).toBeLessThan(600)
  })
})
