import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LocalMetrics, metricsFile, readStoredRows } from './metrics.ts'
import { metricsBinding } from './metrics-binding.ts'

const folder = mkdtempSync(join(tmpdir(), 'metrics-'))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const SETTINGS = { dataset: 'svc_metrics', prefix: 'svc-metric-row ' }

it('keeps rows, and leaves the lines of the log alone', () => {
  const printed: string[] = []
  vi.spyOn(console, 'debug').mockImplementation((line: string) => void printed.push(line))
  metricsBinding(SETTINGS).writeDataPoint({ indexes: ['i'], blobs: ['a', 'b'], doubles: [1, 2.5] })
  const metrics = new LocalMetrics(metricsFile(folder))
  expect(metrics.take('{"service":"core"}', 1)).toBe(false)
  expect(metrics.take(printed[0] ?? '', 7)).toBe(true)
  const row = { timestamp: 7, dataset: 'svc_metrics', index: 'i', blobs: ['a', 'b'], doubles: [1, 2.5] }
  expect(readStoredRows(metricsFile(folder))).toEqual([row])
  appendFileSync(metricsFile(folder), '{"timestamp":8,"data')
  expect(readStoredRows(metricsFile(folder))).toEqual([row])
  expect(readStoredRows(join(folder, 'none'))).toEqual([])
})

describe('a row that Analytics Engine would refuse', () => {
  it.each([
    ['two indexes', { indexes: ['a', 'b'] }],
    ['an index of more than 96 bytes', { indexes: ['é'.repeat(49)] }],
    ['more than 20 blobs', { blobs: Array.from({ length: 21 }, () => 'x') }],
    ['more than 20 doubles', { doubles: Array.from({ length: 21 }, () => 1) }],
    ['blobs of more than 16 KiB', { blobs: ['x'.repeat(16 * 1024 + 1)] }],
    ['a double that is not a number', { doubles: ['1' as unknown as number] }],
  ])('is refused here too: %s', (_, point) => {
    expect(() => metricsBinding(SETTINGS).writeDataPoint(point)).toThrow(TypeError)
  })
})
