import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, prober, SESSION } from '../harness.ts'
import type { Session } from '../opaque/opaque-client.fixture.ts'
import { Authenticator, creationOptions, signInBy, verifyCreation } from './authenticator.fixture.ts'
import { SOLD } from './authenticators.fixture.ts'

describe('a passkey of', () => {
  it.each(SOLD)('$name registers and signs in', async ({ alg, make, counter, creation, signIns }) => {
    const authenticator = await Authenticator.create(alg, counter, make)
    const begun = await creationOptions(await freshGrant())
    dataOf(await verifyCreation(begun, await authenticator.create(begun, creation)))
    for (const [at, signIn] of signIns.entries()) {
      const { session } = dataOf<{ session: Session }>(await signInBy(authenticator, signIn))
      const { body } = await prober.send({
        method: 'GET',
        path: '/api/auth/passkeys',
        headers: { [SESSION]: session.token },
      })
      const isBackedUp = ((signIn.flags ?? 0) & 0x10) !== 0
      expect(body, `sign-in ${at}`).toMatchObject({ data: { passkeys: [{ isBackedUp, counterWentBackAt: null }] } })
    }
  })
})
