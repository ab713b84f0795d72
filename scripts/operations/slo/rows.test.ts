import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readApi } from '@svc/platform/documented-api'
import { dataPointOf } from '@svc/service/metric-rows'
import { afterEach, describe, expect, it } from 'vitest'
import { OBJECTIVES } from './objectives.ts'
import { analyticsRows, countedRows, countingQuery } from './rows.ts'

const stored = (name: string, milliseconds: number) => ({
  timestamp: 5,
  dataset: 'svc_metrics',
  index: '',
  ...dataPointOf({ kind: 'request', service: 'core', name, outcome: '2xx', value: milliseconds, detail: 200 }),
})

it('counts requests that took longer than their objective allows', () => {
  const limit = OBJECTIVES.find(({ kind }) => kind === 'append')?.p99Ms ?? 0
  const rows = countedRows([stored('appendBlock', limit), stored('appendBlock', limit + 1), stored('other', 99_999)])
  expect(rows.map(({ slow }) => slow)).toEqual([0, 1, 0])
  expect(countedRows([{ timestamp: 1, dataset: 'x', index: '', blobs: ['gone'], doubles: [] }])).toEqual([])
})

it('has objectives of operations that exist, each in one', () => {
  const known = new Set(readApi().operations.map(({ service, documented }) => `${service} ${documented.operationId}`))
  const named = OBJECTIVES.flatMap(({ operations }) =>
    Object.entries(operations).flatMap(([service, ids]) => ids.map((id) => `${service} ${id}`)),
  )
  expect(named.filter((one) => !known.has(one))).toEqual([])
  expect(new Set(named).size).toBe(named.length)
})

describe('Analytics Engine', () => {
  const server = createServer()
  afterEach(() => void server.close())

  it('is asked with the token and the query, and answers what a file does', async () => {
    const asked: unknown[] = []
    let answer: unknown = {
      data: [
        {
          minute: 60,
          kind: 'request',
          service: 'core',
          name: 'readRoot',
          outcome: '5xx',
          count: '12',
          slow: '0',
          value: 7,
          detail: 503,
        },
      ],
    }
    server.on('request', (request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () => {
        asked.push([request.method, request.url, request.headers.authorization, body])
        response.statusCode = answer === null ? 403 : 200
        response.end(JSON.stringify(answer))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const access = { accountId: 'a', token: 'secret', dataset: 'svc_metrics_staging', hours: 6, baseUrl }
    expect(await analyticsRows(access)).toEqual([
      {
        at: 60_000,
        kind: 'request',
        service: 'core',
        name: 'readRoot',
        outcome: '5xx',
        count: 12,
        slow: 0,
        value: 7,
        detail: 503,
      },
    ])
    expect(asked).toEqual([
      ['POST', '/accounts/a/analytics_engine/sql', 'Bearer secret', countingQuery('svc_metrics_staging', 6)],
    ])
    answer = { data: [{ minute: 'x' }] }
    await expect(analyticsRows(access)).rejects.toThrow('not a number')
    answer = {}
    await expect(analyticsRows(access)).rejects.toThrow('without data')
    answer = null
    await expect(analyticsRows(access)).rejects.toThrow('answered 403')
  })
})
