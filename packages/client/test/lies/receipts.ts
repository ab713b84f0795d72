import type { ServiceKey } from '@svc/protocol/http/service-keys'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const TYPE = 'svc/quota-receipt/v1'
const key: ServiceKey = {
  service: 'pay',
  use: 'quota-receipt',
  publicKeyB64u: alice.publicKeyB64u,
  validFrom: NOW,
  validUntil: null,
}

/** A receipt that somebody kept, and the keys that they know. */
async function kept() {
  const situation = {
    receipt: await signedBy(alice, { type: TYPE, realm: REALM, issuedAt: NOW }),
    keys: [key],
    of: () => import('../../src/verify.ts'),
    args: (): unknown[] => [situation.receipt, situation.keys, REALMS],
  }
  return situation
}
type Kept = Awaited<ReturnType<typeof kept>>
const lie = (says: string, reason: Lie['reason'], tell: Lie<Kept>['tell']): Lie<Kept> => ({
  lie: says,
  reason,
  tell,
  subject: 'receipt',
})

export const RECEIPTS = [
  verifying({
    name: 'verifyServiceStatement',
    honest: kept,
    lies: [
      lie('changes the receipt', 'invalid_signature', (s) => {
        s.receipt.statement.issuedAt += 1
      }),
      lie('shows a receipt that another key signed', 'invalid_signature', async (s) => {
        s.receipt = await signedBy(mallory, s.receipt.statement)
      }),
      lie('shows a receipt for another deployment', 'wrong_realm', async (s) => {
        s.receipt = await signedBy(alice, s.receipt.statement, { realm: OTHER_REALM })
      }),
      lie('dates a receipt before its key was valid', 'no_key', async (s) => {
        s.receipt = await signedBy(alice, s.receipt.statement, { issuedAt: NOW - 1 })
      }),
      lie('shows a statement that no service signs', 'malformed', async (s) => {
        s.receipt = await signedBy(alice, s.receipt.statement, { type: 'svc/other/v1' })
      }),
    ],
  }),
]
