import { readApi } from '@svc/platform/documented-api'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { fuzz } from './run.ts'

it('answers generated requests to every operation as documented', async () => {
  const api = readApi()
  expect(await fuzz(sharedPlatform().urls, api, api.operations, { numRuns: 6, seed: 1 })).toEqual([])
}, 300_000)
