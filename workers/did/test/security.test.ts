import { battery } from '@svc/service/testing'
import { presenterOf, type TestCaller } from '@svc/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device, send } from './harness.ts'
import { licensed } from './organizations/organization.fixture.ts'

const ANYBODY = `did:svc:${'A'.repeat(32)}`

/** Bodies of the routes of organizations are looked at for those that have a licence. */
async function licensedCaller(): Promise<TestCaller> {
  const made = await caller()
  await licensed(made.identity.did)
  return made
}

battery({
  service,
  send,
  base: BASE,
  params: { did: ANYBODY, orgDid: ANYBODY, memberDid: ANYBODY },
  caller: async () => presenterOf(await licensedCaller()),
  deviceWith: (capabilities) => device({ capabilities }),
})
