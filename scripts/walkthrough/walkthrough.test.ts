import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { walkthrough } from './walkthrough.ts'

it('gives the expected result at every step', async () => {
  const { urls, secrets, gatewayUrl, mail } = sharedPlatform()
  const lines: string[] = []
  const passed = await walkthrough({ urls, secrets, gatewayUrl, mail, print: (line) => lines.push(line) })
  expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([])
  expect(passed).toBe(true)
}, 300_000)
