import { env } from 'cloudflare:workers'
import { makeKeyPackage } from '@svc/client/functions'
import { REALM } from '@svc/testing'
import { expect, it } from 'vitest'
import { credentialOf, publish } from './directory/directory.fixture.ts'
import { caller, deviceFor } from './harness.ts'

/** Longer than the five seconds that a call of a sibling may take in production. */
const SLOW_MS = 5_200

it('a core on a machine that is busy is not one that is down', async () => {
  const owner = await caller()
  const { device } = await deviceFor(owner)
  const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
  const slow = {
    fetch: async (request: Request | string, init?: RequestInit) => {
      await scheduler.wait(SLOW_MS)
      return env.CORE.fetch(request, init)
    },
  }
  const credential = await credentialOf(owner, keyPackage)
  const answer = await publish(owner, { credential, keyPackage }, { replaced: { CORE: slow } })
  expect(answer.status).toBe(200)
})
