import { readFileSync } from 'node:fs'
import { metricsFile, readStoredRows } from '@svc/platform/local/metrics'
import { privacyFaultsOf } from '@svc/platform/log-privacy'
import { logFileOf } from '@svc/platform/running'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { walkthrough } from './walkthrough.ts'

it('gives the expected result at every step', async () => {
  const { urls, secrets, gatewayUrl, mail } = sharedPlatform()
  const lines: string[] = []
  const passed = await walkthrough({ urls, secrets, gatewayUrl, mail, print: (line) => lines.push(line) })
  expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([])
  expect(passed).toBe(true)
}, 300_000)

it('leaves nothing of a caller in the log, or in the metrics', () => {
  const { stateDir } = sharedAddress()
  // The local witness is a program beside the Workers, and names the logs that it reads.
  const lines = linesOf(logFileOf(stateDir)).filter((line) => !line.startsWith('witness: '))
  expect(lines.length).toBeGreaterThan(1_000)
  expect(privacyFaultsOf(lines)).toEqual([])
  const rows = readStoredRows(metricsFile(stateDir))
  expect(rows.length).toBeGreaterThan(1_000)
  expect(privacyFaultsOf(rows.map(({ index, blobs }) => [index, ...blobs].join(' ')))).toEqual([])
})

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}
