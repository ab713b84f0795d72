import type { RotateOfficers } from '@svc/protocol/devices/inception'
import { expect, it } from 'vitest'
import { OfficerKeys } from './officer-keys.ts'

const ANN = 'did:svc:ann'

/** Root keys of Ann, by epoch. */
const of = async () => ['key-0', 'key-1'].map((publicKeyB64u, epoch) => ({ publicKeyB64u, epoch }))

/** A change that Ann signs with her root key of an epoch. */
function signedIn(epoch: number, as: 'approval' | 'acceptance'): RotateOfficers {
  const key = { publicKeyB64u: `key-${epoch}`, signatureB64u: '' }
  const event = {
    approvals: as === 'approval' ? [{ officerDid: ANN, ...key }] : [],
    acceptances: as === 'acceptance' ? [{ statement: { officerDid: ANN }, ...key }] : [],
  }
  return event as unknown as RotateOfficers
}

it.each(['approval', 'acceptance'] as const)(
  'refuses an older root key of an officer in a later event: %s',
  async (as) => {
    const keys = new OfficerKeys({ of })
    for (const epoch of [0, 1, 1]) await keys.check(signedIn(epoch, 'acceptance'))
    await expect(keys.check(signedIn(0, as))).rejects.toMatchObject({ subject: 'roster', reason: 'unknown_epoch' })
    await expect(keys.check(signedIn(2, as))).rejects.toMatchObject({ subject: 'roster', reason: 'wrong_key' })
  },
)
